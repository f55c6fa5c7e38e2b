/** A place on the command line and what may follow there. */
export interface CompletionPlace {
  /** `agent webhook list` */
  path: string;
  /** The same by its aliases, `agent webhook ls`. */
  aliases: string[];
  commands: { name: string; description: string }[];
  flags: CompletionFlag[];
  /** Allowed words where the place takes one of a list. */
  values: readonly string[];
}

export interface CompletionFlag {
  /** `--theme` */
  long: string;
  /** `-o` */
  short: string | undefined;
  description: string;
  takesValue: boolean;
  values: readonly string[];
}

/** Programmable completion of bash; where nothing of ours fits, readline completes file names. */
export function bashScript(places: readonly CompletionPlace[]): string {
  return `# bash completion of agent, for ~/.bashrc: source <(agent completion bash)
_agent() {
  local at=agent word i flags= words=
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  # --flag=value arrives in three words.
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
${places
  .slice(1)
  .map((place) => `      ${patternOf(place)}) at='${place.path}' ;;`)
  .join('\n')}
    esac
  done
  case "$at $prev" in
${valueCases(places, (values) => (values.length > 0 ? `words='${values.join(' ')}'` : 'return')).join('\n')}
    *)
      case $at in
${places.map((place) => `        '${place.path}') flags='${longFlags(place)}' words='${wordsOf(place).join(' ')}' ;;`).join('\n')}
      esac
      [[ $cur == -* ]] && words=$flags ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _agent agent
`;
}

/** A completion function of zsh with the descriptions of the help. */
export function zshScript(places: readonly CompletionPlace[]): string {
  const described = (name: string, text: string) => quoted(`${name}:${text}`);
  const flags = (place: CompletionPlace) => place.flags.map((flag) => described(flag.long, flag.description)).join(' ');
  const words = (place: CompletionPlace) =>
    [...place.commands.map(({ name, description }) => described(name, description)), ...place.values.map(quoted)].join(
      ' ',
    );
  return `#compdef agent
# zsh completion of agent, for a folder of $fpath: agent completion zsh >"\${fpath[1]}/_agent"
_agent() {
  local at=agent word flag=\${words[CURRENT-1]}
  local -a flags commands
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
${places
  .slice(1)
  .map((place) => `      ${patternOf(place)}) at='${place.path}' ;;`)
  .join('\n')}
    esac
  done
  if [[ $PREFIX == --*=* ]]; then flag=\${PREFIX%%=*}; compset -P 1 '*='; fi
  case "$at $flag" in
${valueCases(places, (values) => (values.length > 0 ? `compadd -- ${values.join(' ')}; return` : '_files; return')).join('\n')}
  esac
  case $at in
${places.map((place) => `    '${place.path}') flags=(${flags(place)}) commands=(${words(place)}) ;;`).join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then _describe -o option flags
  elif (( $#commands )); then _describe command commands
  else _files
  fi
}
if [[ $funcstack[1] == _agent ]]; then _agent "$@"; else compdef _agent agent; fi
`;
}

/** The completions of fish. */
export function fishScript(places: readonly CompletionPlace[]): string {
  const lines = places.flatMap((place) => {
    const where = `complete -c agent -n ${quoted(`__agent_at '${place.path}'`)}`;
    const words = [...place.commands, ...place.values.map((name) => ({ name, description: '' }))];
    return [
      ...words.map(({ name, description }) => `${where} -f -a ${name}${description && ` -d ${quoted(description)}`}`),
      ...place.flags.map((flag) => `${where} ${fishFlag(flag)} -d ${quoted(flag.description)}`),
    ];
  });
  return `# fish completion of agent: agent completion fish >~/.config/fish/completions/agent.fish
function __agent_at
  set -l at agent
  for word in (commandline -opc)
    switch "$at $word"
${places
  .slice(1)
  .map((place) => `      case ${[place.path, ...place.aliases].map(quoted).join(' ')}\n        set at '${place.path}'`)
  .join('\n')}
    end
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}
`;
}

function fishFlag({ long, short, takesValue, values }: CompletionFlag): string {
  const names = `-l ${long.slice(2)}${short ? ` -s ${short.slice(1)}` : ''}`;
  if (!takesValue) return names;
  return values.length > 0 ? `${names} -x -a ${quoted(values.join(' '))}` : `${names} -r`;
}

/** A `case` for every flag that takes a value, at its place. */
function valueCases(places: readonly CompletionPlace[], body: (values: readonly string[]) => string): string[] {
  return places.flatMap(({ path, flags }) =>
    flags
      .filter((flag) => flag.takesValue)
      .map(({ long, short, values }) => {
        const names = [long, ...(short ? [short] : [])].map((name) => `'${path} ${name}'`);
        return `    ${names.join(' | ')}) ${body(values)} ;;`;
      }),
  );
}

function patternOf({ path, aliases }: CompletionPlace): string {
  return [path, ...aliases].map((name) => `'${name}'`).join(' | ');
}

function longFlags({ flags }: CompletionPlace): string {
  return flags.map(({ long }) => long).join(' ');
}

function wordsOf({ commands, values }: CompletionPlace): string[] {
  return [...commands.map(({ name }) => name), ...values];
}

/** A word in single quotes as bash and zsh read it; fish reads it the same as long as it holds no backslash. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
