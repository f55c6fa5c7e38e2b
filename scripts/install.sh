#!/bin/sh
# Installs dist/agent as a systemd service on this Linux machine. Run it as root after a build, again after every
# update (it changes only what differs): scripts/install.sh [--help] [--dry-run]
set -eu

usage() {
  cat <<'TEXT'
Usage: scripts/install.sh [options]
  --binary FILE    executable to install (default: dist/agent of this repository)
  --prefix DIR     where bin/agent goes (default: /usr/local)
  --user NAME      user the service runs as; created when missing (default: agent)
  --no-service     install the executable only
  --dry-run        print what would be done, change nothing
  --help           this text
The service keeps its home in /var/lib/agent: put config.yaml and .env there (owner agent, mode 600).
TEXT
}

ROOT=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
BINARY=$ROOT/dist/agent
PREFIX=/usr/local
USER_NAME=agent
SERVICE=yes
DRY=
UNIT=/etc/systemd/system/agent.service
STATE=/var/lib/agent

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case $1 in
    --binary | --prefix | --user)
      [ $# -ge 2 ] || { usage >&2; exit 2; }
      case $1 in
        --binary) BINARY=$2 ;;
        --prefix) PREFIX=$2 ;;
        --user) USER_NAME=$2 ;;
      esac
      shift
      ;;
    --no-service) SERVICE= ;;
    --dry-run) DRY=yes ;;
    --help | -h) usage; exit 0 ;;
    *) printf 'Unknown option %s\n' "$1" >&2; usage >&2; exit 2 ;;
  esac
  shift
done
case $USER_NAME in
  '' | *[!a-z0-9_-]* | -*) fail "\"$USER_NAME\" is not a user name." ;;
esac

run() {
  printf '%s\n' "+ $*"
  [ -n "$DRY" ] || "$@"
}

[ -f "$BINARY" ] || fail "$BINARY is missing: build it first (bun scripts/build.ts), or name one with --binary."
[ -x "$BINARY" ] || fail "$BINARY is not executable."
[ -n "$DRY" ] || [ "$(id -u)" = 0 ] || fail 'Run this as root (sudo scripts/install.sh), or look first with --dry-run.'

# Renamed into place: a running service keeps its old file.
install_binary() {
  target=$PREFIX/bin/agent
  if cmp -s "$BINARY" "$target"; then
    echo "$target is up to date."
    return 0
  fi
  run mkdir -p "$PREFIX/bin"
  run install -m 0755 "$BINARY" "$target.new"
  run mv -f "$target.new" "$target"
  CHANGED=yes
}

create_user() {
  if id "$USER_NAME" >/dev/null 2>&1; then
    echo "User $USER_NAME exists."
    return 0
  fi
  shell=/usr/sbin/nologin
  [ -x "$shell" ] || shell=/bin/false
  run useradd --system --user-group --home-dir "$STATE" --no-create-home --shell "$shell" "$USER_NAME"
}

unit() {
  cat <<TEXT
[Unit]
Description=agent: research and content backend with a webhook gateway
After=network-online.target
Wants=network-online.target

[Service]
Type=exec
User=$USER_NAME
Group=$USER_NAME
Environment=AGENT_HOME=$STATE
WorkingDirectory=$STATE
ExecStart=$PREFIX/bin/agent serve
Restart=on-failure
RestartSec=2
TimeoutStopSec=15
StateDirectory=agent
StateDirectoryMode=0700
UMask=0077
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
RestrictSUIDSGID=yes
RestrictRealtime=yes
LockPersonality=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
CapabilityBoundingSet=
AmbientCapabilities=
SystemCallArchitectures=native
# MemoryDenyWriteExecute is left out: the JavaScript engine compiles code at run time.
# RestrictNamespaces is left out: the Python sandbox (bubblewrap) needs user namespaces.

[Install]
WantedBy=multi-user.target
TEXT
}

install_unit() {
  wanted=$(unit)
  if [ -f "$UNIT" ] && [ "$(cat "$UNIT")" = "$wanted" ]; then
    echo "$UNIT is up to date."
  else
    echo "+ write $UNIT"
    if [ -n "$DRY" ]; then
      printf '%s\n' "$wanted"
    else
      printf '%s\n' "$wanted" >"$UNIT.new"
      chmod 0644 "$UNIT.new"
      mv -f "$UNIT.new" "$UNIT"
    fi
    CHANGED=yes
  fi
  if ! command -v systemctl >/dev/null 2>&1; then
    echo 'systemctl is missing: the unit is written but not started.'
    return 0
  fi
  run systemctl daemon-reload
  run systemctl enable agent.service
  if [ -n "$CHANGED" ]; then run systemctl restart agent.service; else run systemctl start agent.service; fi
}

CHANGED=
install_binary
if [ -n "$SERVICE" ]; then
  create_user
  install_unit
fi
echo "Done. Next: agent doctor --home $STATE"
