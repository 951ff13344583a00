import type { CompletionNode, CompletionWord } from './tree.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** Returns the script that a shell reads to complete calls of `storeloom`. It starts no process: all commands are in the script. */
export function completionScript(shell: Shell, tree: readonly CompletionNode[]): string {
  return { bash, zsh, fish }[shell](tree);
}

/** In single quotes, which every shell reads literally. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
/** fish has an escape for the quote itself. */
const fishQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const names = (words: readonly CompletionWord[]): string => words.map(({ word }) => word).join(' ');

/** Lines of a `case` statement: a line for each node that has the list. */
const cases = (tree: readonly CompletionNode[], list: (node: CompletionNode) => string): string =>
  tree
    .filter((node) => list(node) !== '')
    .map((node) => `    ${quoted(node.path)}) ${list(node)} ;;`)
    .join('\n');

/** Functions that bash and zsh share: lists by the path of a command. */
const tables = (tree: readonly CompletionNode[]): string => `_storeloom_words() {
  case "$1" in
${cases(tree, ({ words }) => (words.length === 0 ? '' : `echo ${quoted(names(words))}`))}
  esac
}
_storeloom_options() {
  case "$1" in
${cases(tree, ({ options }) => (options.length === 0 ? '' : `echo ${quoted(names(options))}`))}
  esac
}
_storeloom_valued() {
  case "$1" in
${cases(tree, ({ valued }) => (valued.length === 0 ? '' : `echo ${quoted(valued.join(' '))}`))}
  esac
}`;

/** Part of a loop over the words before the cursor, for bash and zsh: follows commands in `at`, and passes over values of options. */
const step = `    if [[ -n $skip ]]; then skip=''; continue; fi
    if [[ $word == -* ]]; then
      [[ " $(_storeloom_valued "$at") " == *" $word "* ]] && skip=1
    elif [[ " $(_storeloom_words "$at") " == *" $word "* ]]; then
      at="\${at:+$at }$word"
    fi`;

const bash = (tree: readonly CompletionNode[]): string => `# bash completion of storeloom
# source <(storeloom completion bash)
${tables(tree)}
_storeloom() {
  local current="\${COMP_WORDS[COMP_CWORD]}" at='' word skip='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
${step}
  done
  COMPREPLY=()
  if [[ -n $skip ]]; then return; fi
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$(_storeloom_options "$at")" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$(_storeloom_words "$at")" -- "$current"))
  fi
}
complete -o default -F _storeloom storeloom
`;

const zsh = (tree: readonly CompletionNode[]): string => `#compdef storeloom
# zsh completion of storeloom
# source <(storeloom completion zsh)
${tables(tree)}
_storeloom() {
  local at='' word skip='' i
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
${step}
  done
  local list=''
  if [[ -z $skip ]]; then
    if [[ \${words[CURRENT]} == -* ]]; then list="$(_storeloom_options "$at")"; else list="$(_storeloom_words "$at")"; fi
  fi
  if [[ -n $list ]]; then compadd -- \${=list}; else _files; fi
}
compdef _storeloom storeloom
`;

const fish = (tree: readonly CompletionNode[]): string => {
  const lines = tree.flatMap(({ path, words, options, valued }) => {
    const at = `complete -c storeloom -n ${fishQuoted(`__storeloom_at ${fishQuoted(path)}`)}`;
    return [
      ...words.map(({ word, description }) => `${at} -f -a ${word} -d ${fishQuoted(description)}`),
      ...options.map(
        ({ word, description }) =>
          `${at} -l ${word.replace(/^--/, '')}${valued.includes(word) ? ' -r' : ''} -d ${fishQuoted(description)}`,
      ),
    ];
  });
  return `# fish completion of storeloom
# storeloom completion fish | source
function __storeloom_words
  switch "$argv[1]"
${tree
  .filter(({ words }) => words.length > 0)
  .map(({ path, words }) => `    case ${fishQuoted(path)}\n      string split ' ' ${fishQuoted(names(words))}`)
  .join('\n')}
  end
end
function __storeloom_valued
  switch "$argv[1]"
${tree
  .filter(({ valued }) => valued.length > 0)
  .map(({ path, valued }) => `    case ${fishQuoted(path)}\n      string split ' ' -- ${fishQuoted(valued.join(' '))}`)
  .join('\n')}
  end
end
function __storeloom_at
  set -l at ''
  set -l skip ''
  for word in (commandline -opc)[2..-1]
    if test -n "$skip"
      set skip ''
    else if string match -q -- '-*' $word
      contains -- $word (__storeloom_valued "$at"); and set skip 1
    else if contains -- $word (__storeloom_words "$at")
      set at (string trim "$at $word")
    end
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}
`;
};
