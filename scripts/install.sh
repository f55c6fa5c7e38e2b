#!/bin/sh
# Installs the agent as a systemd service on this Linux machine: one that was built here, or a release, whose checksum
# and signature it checks. Run it as root, again for every update (it changes only what differs):
#   scripts/install.sh                                                       dist/agent of this repository
#   scripts/install.sh --release agent-1.2.3-linux-x64.tar.gz --signers FILE
#   scripts/install.sh --help
set -eu

usage() {
  cat <<'TEXT'
Usage: scripts/install.sh [options]
  --release FILE   archive or executable of a release; SHA256SUMS and SHA256SUMS.sig lie beside it and are checked
  --signers FILE   the public key of the releases: a line "agent ssh-ed25519 AAAA…" (ssh-keygen(1), ALLOWED SIGNERS);
                   needed once, then it is kept in /etc/agent/signers and no other key is accepted
  --binary FILE    executable that you have built, not checked (default: dist/agent of this repository)
  --prefix DIR     where bin/agent goes (default: /usr/local)
  --user NAME      user the service runs as; created when missing (default: agent)
  --root DIR       install below DIR (an image of a machine): makes no user and starts nothing
  --no-service     install the executable only
  --dry-run        print what would be done, change nothing
  --help           this text
The service keeps its home in /var/lib/agent: put config.yaml and .env there (owner agent, mode 600).
TEXT
}

HERE=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
NAMESPACE=agent-release
RELEASE=
SIGNERS=
BINARY=
PREFIX=/usr/local
USER_NAME=agent
ROOT=
SERVICE=yes
DRY=
UNIT=/etc/systemd/system/agent.service
KEPT_SIGNERS=/etc/agent/signers
STATE=/var/lib/agent

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case $1 in
    --release | --signers | --binary | --prefix | --user | --root)
      [ $# -ge 2 ] || { usage >&2; exit 2; }
      case $1 in
        --release) RELEASE=$2 ;;
        --signers) SIGNERS=$2 ;;
        --binary) BINARY=$2 ;;
        --prefix) PREFIX=$2 ;;
        --user) USER_NAME=$2 ;;
        --root) ROOT=${2%/} ;;
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
# It becomes a line of the unit.
case $PREFIX in
  /*[!A-Za-z0-9/._-]* | [!/]* | '') fail "\"$PREFIX\" is no absolute path of letters, digits, dots, dashes and underscores." ;;
esac
[ -z "$RELEASE" ] || [ -z "$BINARY" ] || fail 'Name a release or a binary, not both.'
[ -z "$SIGNERS" ] || [ -n "$RELEASE" ] || fail '--signers is the key of a release: name it with --release.'

run() {
  printf '%s\n' "+ $*"
  [ -n "$DRY" ] || "$@"
}

WORK=
cleanup() { [ -z "$WORK" ] || rm -rf "$WORK"; }
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

# The key that counts: the one of the first installation, if there was one.
find_signers() {
  kept=$ROOT$KEPT_SIGNERS
  if [ ! -f "$kept" ]; then
    [ -n "$SIGNERS" ] || fail "There is no key to check the signature with: give the public key of the releases with --signers FILE."
    [ -f "$SIGNERS" ] || fail "$SIGNERS is missing: it should hold the public key of the releases."
    cp -- "$SIGNERS" "$WORK/signers"
    return 0
  fi
  [ -z "$SIGNERS" ] || cmp -s -- "$SIGNERS" "$kept" ||
    fail "$SIGNERS is another key than the one of the last installation ($kept). If the releases really have a new key, remove that file and run this again."
  cp -- "$kept" "$WORK/signers"
}

# Copies first and looks at the copies: what was checked is what is installed.
check_release() {
  name=$(basename -- "$RELEASE")
  folder=$(dirname -- "$RELEASE")
  [ -f "$RELEASE" ] || fail "$RELEASE is missing."
  [ -f "$folder/SHA256SUMS" ] || fail "SHA256SUMS is missing beside $RELEASE: download it too."
  [ -f "$folder/SHA256SUMS.sig" ] || fail "SHA256SUMS.sig, the signature, is missing beside $RELEASE: download it too, and install nothing that has none."
  command -v ssh-keygen >/dev/null 2>&1 || fail 'ssh-keygen is missing, which checks the signature: install openssh-client.'
  WORK=$(mktemp -d)
  find_signers
  cp -- "$folder/SHA256SUMS" "$folder/SHA256SUMS.sig" "$WORK"
  cp -- "$RELEASE" "$WORK/file"
  ssh-keygen -Y verify -f "$WORK/signers" -I agent -n "$NAMESPACE" -s "$WORK/SHA256SUMS.sig" <"$WORK/SHA256SUMS" >/dev/null 2>&1 ||
    fail "The signature of SHA256SUMS is not one of the key given: the files were changed, or somebody else made them. Nothing was installed."
  wanted=$(awk -v name="$name" '$2 == name || $2 == "*" name { print $1 }' "$WORK/SHA256SUMS")
  [ -n "$wanted" ] || fail "SHA256SUMS does not name $name. Nothing was installed."
  sum=$(sha256sum <"$WORK/file" | cut -d ' ' -f 1)
  [ "$sum" = "$wanted" ] || fail "$RELEASE is not the file that was released: its SHA-256 is $sum, and should be $wanted. Nothing was installed."
  echo "$name: signature and checksum are right."
  case $name in
    *.tar.gz)
      tar -xzf "$WORK/file" -C "$WORK" --no-same-owner "${name%.tar.gz}/agent" || fail "There is no executable in $name."
      BINARY=$WORK/${name%.tar.gz}/agent
      ;;
    *)
      chmod 0755 "$WORK/file"
      BINARY=$WORK/file
      ;;
  esac
}

keep_signers() {
  kept=$ROOT$KEPT_SIGNERS
  [ ! -f "$kept" ] || return 0
  run mkdir -p "$ROOT/etc/agent"
  run install -m 0644 "$WORK/signers" "$kept"
}

# Renamed into place: a running service keeps its old file.
install_binary() {
  target=$ROOT$PREFIX/bin/agent
  if cmp -s "$BINARY" "$target"; then
    echo "$target is up to date."
    return 0
  fi
  run mkdir -p "$ROOT$PREFIX/bin"
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
EnvironmentFile=-/etc/agent/env
WorkingDirectory=$STATE
ExecStart=$PREFIX/bin/agent serve
Restart=on-failure
RestartSec=2
KillMode=mixed
TimeoutStopSec=15
StateDirectory=agent
StateDirectoryMode=0700
UMask=0077

# Resources. Sandboxes get control groups of their own, and one that is ended for its memory does not end the service.
MemoryMax=80%
TasksMax=4096
LimitCORE=0
Delegate=memory pids
OOMPolicy=continue

# What it sees: no home folders, no devices, no other processes, nothing to write but its state.
ProtectSystem=strict
ProtectHome=yes
ProtectProc=invisible
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ReadWritePaths=-/sys/fs/cgroup/system.slice/%n
ProtectClock=yes
ProtectHostname=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateMounts=yes
PrivateUsers=yes
PrivateIPC=yes
RemoveIPC=yes
# Everywhere but the addresses of one's own link, where clouds keep the credentials of a machine (169.254.169.254).
IPAddressDeny=any
IPAddressAllow=0.0.0.0/1 128.0.0.0/3 160.0.0.0/5 168.0.0.0/8 169.0.0.0/9 169.128.0.0/10 169.192.0.0/11 169.224.0.0/12
IPAddressAllow=169.240.0.0/13 169.248.0.0/14 169.252.0.0/15 169.255.0.0/16 170.0.0.0/7 172.0.0.0/6 176.0.0.0/4 192.0.0.0/2
IPAddressAllow=::/0
# bubblewrap may mount a /proc of its own only where an unchanged one is; this one nobody can reach.
TemporaryFileSystem=/run/agent-proc:mode=0700
BindPaths=/proc:/run/agent-proc/proc:norbind

# What it may do. Left out: MemoryDenyWriteExecute, since JavaScript is compiled at run time, and RestrictSUIDSGID, since
# it takes openat2 away from bubblewrap. Allowed for bubblewrap: these namespaces, AF_NETLINK, the calls of the last filter.
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
RestrictNamespaces=user mnt pid net
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictRealtime=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallErrorNumber=EPERM
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources @keyring io_uring_setup io_uring_enter io_uring_register userfaultfd
SystemCallFilter=@mount capset

[Install]
WantedBy=multi-user.target
TEXT
}

install_unit() {
  file=$ROOT$UNIT
  wanted=$(unit)
  if [ -f "$file" ] && [ "$(cat "$file")" = "$wanted" ]; then
    echo "$file is up to date."
  else
    echo "+ write $file"
    if [ -n "$DRY" ]; then
      printf '%s\n' "$wanted"
    else
      mkdir -p "$(dirname -- "$file")"
      printf '%s\n' "$wanted" >"$file.new"
      chmod 0644 "$file.new"
      mv -f "$file.new" "$file"
    fi
    CHANGED=yes
  fi
}

start_service() {
  if [ ! -d /run/systemd/system ] || ! command -v systemctl >/dev/null 2>&1; then
    echo 'systemd does not run here: the unit is written but not started.'
    return 0
  fi
  run systemctl daemon-reload
  run systemctl enable agent.service
  if [ -n "$CHANGED" ]; then run systemctl restart agent.service; else run systemctl start agent.service; fi
}

[ -n "$DRY$ROOT" ] || [ "$(id -u)" = 0 ] || fail 'Run this as root (sudo scripts/install.sh), or look first with --dry-run.'
if [ -n "$RELEASE" ]; then
  check_release
else
  if [ -z "$BINARY" ]; then
    BINARY=$HERE/../dist/agent
    # Unpacked from an archive: whether it is the released one, only the archive can tell.
    [ -f "$BINARY" ] || [ ! -f "$HERE/agent" ] || fail "Name the archive this was unpacked from, so that it can be checked: --release $(basename -- "$HERE").tar.gz"
  fi
  [ -f "$BINARY" ] || fail "$BINARY is missing: build it first (scripts/build), or name a release with --release."
  [ -x "$BINARY" ] || fail "$BINARY is not executable."
fi
# A service that is running goes on with what it has rather than with a file for another machine.
[ -n "$DRY$ROOT" ] || "$BINARY" --version >/dev/null 2>&1 || fail "$(basename -- "${RELEASE:-$BINARY}") does not run on this machine ($(uname -s) $(uname -m))."
CHANGED=
install_binary
[ -z "$RELEASE" ] || keep_signers
if [ -n "$SERVICE" ]; then
  [ -n "$ROOT" ] || create_user
  install_unit
  [ -n "$ROOT" ] || start_service
fi
echo "Done. Next: agent doctor --home $STATE"
