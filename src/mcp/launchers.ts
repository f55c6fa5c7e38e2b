/** Programs that run whatever follows them: a shell, an interpreter, a runner of packages, a wrapper of commands. */
const LAUNCHERS = new Set(
  `sh bash zsh dash ash ksh mksh fish csh tcsh busybox toybox cmd powershell pwsh env sudo doas su xargs nohup setsid
  timeout nice stdbuf watch script unshare nsenter chroot bwrap firejail strace gdb make git ssh awk gawk mawk sed vi vim
  ed find tar node nodejs bun deno ipython perl ruby irb php lua luajit tclsh wish guile racket julia r rscript java
  jshell go cargo dotnet tsx ts-node zx shx shelljs esno jiti npm npm-cli npx npx-cli pnpm pnpx pnpm-cli yarn yarnpkg
  corepack bunx uv uvx pip pip3 pipx pdm poetry hatch rye conda mamba easy_install ensurepip cross-env env-cmd dotenv
  dotenv-cli concurrently npm-run-all nodemon pm2 forever execa-cli run-script-os docker podman nerdctl kubectl`.split(
    /\s+/,
  ),
);
/** `python`, `python3.12`, `cpython@3.12`, `pypy3`: uvx starts an interpreter of any of these names. */
const PYTHON = /^(c|pypy|graal|pyodide-)?(python|pypy|py)[\d.]*$/;

/** Whether a program, script or package of this name would start another program of the caller's choice. */
export function isLauncher(name: string): boolean {
  const bare = ((name.split(/[\\/]/).at(-1) ?? '').split(/[@=~[]/, 1)[0] ?? '')
    .replace(/\.(exe|cmd|bat|[cm]?[jt]s)$/i, '')
    .toLowerCase();
  return LAUNCHERS.has(bare) || PYTHON.test(bare);
}
