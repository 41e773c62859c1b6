/** The completion script for bash: plain `complete -F`, without the helpers of any package. */
import { choicesOf, freeOptionsOf, type Node, wordsAfter } from './tree.ts';

export function bashScript(nodes: readonly Node[]): string {
  const names = [...new Set(nodes.flatMap(({ path }) => path))].join('|');
  const after = nodes.map((node) => `    '${node.path.join(' ')}') words='${wordsAfter(node)}' ;;`);
  const choices = choicesOf(nodes).map(
    ({ flag, values }) => `    ${flag}) COMPREPLY=($(compgen -W '${values.join(' ')}' -- "$word")); return ;;`,
  );
  return `# doorbuster completion for bash
_doorbuster() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} path='' words='' at
  case $before in
${choices.join('\n')}
    ${freeOptionsOf(nodes).join('|')}) COMPREPLY=($(compgen -f -- "$word")); return ;;
  esac
  for ((at = 1; at < COMP_CWORD; at++)); do
    case \${COMP_WORDS[at]} in
      ${names}) path="\${path:+$path }\${COMP_WORDS[at]}" ;;
    esac
  done
  case $path in
${after.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _doorbuster doorbuster`;
}
