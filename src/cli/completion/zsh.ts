/** The completion script for zsh, to stand in a folder of `fpath` or to be sourced after `compinit`. */
import { choicesOf, freeOptionsOf, type Node } from './tree.ts';

/** For `_describe`: name and words, parted by the first colon that is not escaped. */
const entry = (name: string, says: string): string =>
  `'${name.replaceAll(':', '\\:')}:${says.replaceAll("'", "'\\''")}'`;

export function zshScript(nodes: readonly Node[]): string {
  const names = [...new Set(nodes.flatMap(({ path }) => path))].join('|');
  const after = nodes.map(({ path, commands, values, options }) => {
    const entries = [
      ...commands.map(({ name, says }) => entry(name, says)),
      ...values.map((value) => entry(value, value)),
      ...options.map(({ flag, says }) => entry(flag, says)),
    ];
    return `    '${path.join(' ')}') entries=(${entries.join(' ')}) ;;`;
  });
  const choices = choicesOf(nodes).map(({ flag, values }) => `    ${flag}) compadd -- ${values.join(' ')}; return ;;`);
  return `#compdef doorbuster
# doorbuster completion for zsh
_doorbuster() {
  local name at
  local -a entries
  local where=''
  case $words[CURRENT-1] in
${choices.join('\n')}
    ${freeOptionsOf(nodes).join('|')}) _files; return ;;
  esac
  for ((at = 2; at < CURRENT; at++)); do
    case $words[at] in
      ${names}) where="\${where:+$where }$words[at]" ;;
    esac
  done
  case $where in
${after.join('\n')}
  esac
  _describe doorbuster entries
}
if [ "$funcstack[1]" = "_doorbuster" ]; then
  _doorbuster "$@"
else
  compdef _doorbuster doorbuster
fi`;
}
