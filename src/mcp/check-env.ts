const MAX_VARIABLES = 100;
const MAX_VALUE_LENGTH = 32_768;

/** What the name of a setting of a server ends with. */
const SETTING_WORDS = new Set(
  `KEY KEYS TOKEN TOKENS SECRET SECRETS PASSWORD PASS PAT USER USERNAME LOGIN EMAIL ID IDS URL URLS URI ENDPOINT HOST
  HOSTS HOSTNAME PORT DOMAIN REGION ZONE PROJECT PROJECTS ORG ORGANIZATION ACCOUNT TENANT TEAM WORKSPACE SITE SPACE
  SPACES DATABASE DB SCHEMA TABLE COLLECTION INDEX BUCKET NAMESPACE MODEL MODELS VERSION LANGUAGE LANG LOCALE TIMEZONE
  MODE LEVEL NAME TYPE LIMIT MAX MIN SIZE COUNT TIMEOUT MS SECONDS ENABLED DISABLED READONLY ONLY TOOLS TOOLSETS FORMAT
  DEBUG VERBOSE ENVIRONMENT TRANSPORT`.split(/\s+/),
);
/** Names of one word, and those that the rules below would refuse. */
const WHOLE_NAMES = new Set(
  'TOKEN SECRET PASSWORD DEBUG VERBOSE MODE HOST PORT REGION TZ LANG LANGUAGE LC_ALL NODE_ENV NO_COLOR FORCE_COLOR'.split(
    ' ',
  ),
);
/** Prefixes under which interpreters, package managers, loaders and shells read what they load, fetch or run. */
const STEERING_PREFIX =
  /^(_|LD_|DYLD_|NODE_|NPM_|PNPM_|YARN_|COREPACK_|BUN_|DENO_|JSR_|PYTHON|PYENV_|UV_|PIP_|PIPX_|POETRY_|CONDA_|VIRTUAL_|PERL|RUBY|GEM_|BUNDLE_|PHP_|LUA_|JAVA_|JDK_|MAVEN_|GRADLE_|GO_|CARGO_|RUST|GIT_|SSH_|BASH_|ZSH_|DOCKER_|BUILDKIT_|CONTAINERS_|XDG_|GCONV_|GLIBC_|MALLOC_|OPENSSL_|SSL_|CURL_|REQUESTS_|NSS_|RES_|ELECTRON_|PUPPETEER_|PLAYWRIGHT_|NVM_|VOLTA_|FNM_|ASDF_|MISE_|AGENT_)/;
/** Words by which install scripts read where to fetch a program from: `SASS_BINARY_SITE`. */
const STEERING_WORDS = new Set(
  'BINARY BINARIES DOWNLOAD DOWNLOADS INSTALL MIRROR CDN REGISTRY PROXY PRELOAD'.split(' '),
);

/** What is wrong with a variable's name; undefined when a request may set it. `further` are names the operator listed. */
export function checkEnvName(name: string, further: readonly string[] = []): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,100}$/.test(name))
    return 'The name of a variable must be letters, digits and underscores.';
  // Programs differ in whether they care for the case, npm does not.
  const upper = name.toUpperCase();
  if (WHOLE_NAMES.has(upper)) return undefined;
  const [last = '', ...before] = upper.split('_').reverse();
  if (STEERING_PREFIX.test(upper) || [last, ...before].some((word) => STEERING_WORDS.has(word)))
    return `The variable ${name} decides what a program loads and must not be set.`;
  if (further.includes(name)) return undefined;
  return before.some(Boolean) && SETTING_WORDS.has(last)
    ? undefined
    : `The variable ${name} does not look like a setting of a server (GITHUB_TOKEN, API_URL); the operator can list it in mcp.allowed_env.`;
}

/** What is wrong with the variables a request sets; undefined when they may be used. */
export function checkEnv(
  env: Record<string, string>,
  further: readonly string[] = [],
): { name: string; message: string } | undefined {
  const names = Object.keys(env);
  if (names.length > MAX_VARIABLES) return { name: '', message: `There may be at most ${MAX_VARIABLES} variables.` };
  for (const name of names) {
    const value = env[name] as string;
    const message =
      checkEnvName(name, further) ??
      (value.includes('\0') ? 'A variable must not hold a zero character.' : undefined) ??
      (value.length > MAX_VALUE_LENGTH ? `A variable may have at most ${MAX_VALUE_LENGTH} characters.` : undefined);
    if (message) return { name, message };
  }
  return undefined;
}
