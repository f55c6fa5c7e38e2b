const MAX_VARIABLES = 100;
const MAX_VALUE_LENGTH = 32_768;

/** Names that change what a program loads, where it looks for things, or what it runs. */
const EXACT = new Set(
  `PATH HOME SHELL ENV BASH_ENV BASHOPTS SHELLOPTS IFS PS4 PROMPT_COMMAND EDITOR VISUAL PAGER BROWSER TMPDIR TMP TEMP
  PWD OLDPWD USER LOGNAME CDPATH FPATH ZDOTDIR GCONV_PATH LOCPATH NLSPATH HOSTALIASES LOCALDOMAIN RES_OPTIONS
  GLIBC_TUNABLES OPENSSL_CONF OPENSSL_MODULES SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE JAVA_TOOL_OPTIONS
  _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH RUBYOPT RUBYLIB PHPRC PHP_INI_SCAN_DIR LUA_INIT LUA_PATH LUA_CPATH GIT_SSH
  GIT_SSH_COMMAND GIT_ASKPASS GIT_EXEC_PATH GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_EDITOR GIT_PAGER GIT_DIR SSH_ASKPASS
  COMSPEC PATHEXT SYSTEMROOT WINDIR APPDATA LOCALAPPDATA USERPROFILE ELECTRON_RUN_AS_NODE TS_NODE_PROJECT AGENT_HOME`.split(
    /\s+/,
  ),
);
const PREFIXES =
  /^(LD_|DYLD_|NODE_(?!ENV$)|PYTHON|BUN_|DENO_|NPM_|NPM_CONFIG_|YARN_|PNPM_|COREPACK_|UV_|PIP_|PIPX_|CONDA_|VIRTUAL_ENV|PERL|GEM_|BUNDLE_|BASH_FUNC_|MALLOC_|ASAN_|LSAN_|TSAN_|UBSAN_|XDG_|DOCKER_|BUILDKIT_|GIT_CONFIG|PYENV_|NVM_|VOLTA_|AGENT_MCP_)/;

/** What is wrong with a variable's name; undefined when a request may set it. */
export function checkEnvName(name: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return 'The name of a variable must be letters, digits and underscores.';
  const upper = name.toUpperCase();
  return EXACT.has(upper) || PREFIXES.test(upper)
    ? `The variable ${name} decides what a program loads and must not be set.`
    : undefined;
}

/** What is wrong with the variables a request sets; undefined when they may be used. */
export function checkEnv(env: Record<string, string>): { name: string; message: string } | undefined {
  const names = Object.keys(env);
  if (names.length > MAX_VARIABLES) return { name: '', message: `There may be at most ${MAX_VARIABLES} variables.` };
  for (const name of names) {
    const value = env[name] as string;
    const message =
      checkEnvName(name) ??
      (value.includes('\0') ? 'A variable must not hold a zero character.' : undefined) ??
      (value.length > MAX_VALUE_LENGTH ? `A variable may have at most ${MAX_VALUE_LENGTH} characters.` : undefined);
    if (message) return { name, message };
  }
  return undefined;
}
