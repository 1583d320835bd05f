import type { Command } from 'commander'
import { CommandFailure, exitCodes } from './outcome.ts'

/** Words that may follow, keyed by the preceding words: `servers` → `list add …`. */
type Words = Map<string, string[]>

export function addCompletionCommand(program: Command): void {
	program
		.command('completion')
		.argument('<shell>', 'bash, zsh or fish')
		.description('Print a completion script: source <(signalbox completion bash)')
		.action(printScript)
}

function printScript(shell: string, _options: object, command: Command): void {
	const script = scripts[shell]
	if (!script) throw new CommandFailure(exitCodes.usage, 'The shells are bash, zsh and fish.')
	process.stdout.write(script(wordsOf(command.parent ?? command)))
}

function wordsOf(program: Command): Words {
	const options = (command: Command) => command.options.flatMap(({ long }) => (long ? [long] : []))
	const everywhere = [...options(program), '--help']
	const words: Words = new Map()
	const add = (command: Command, path: string) => {
		const inner = command.commands.map((each) => each.name())
		words.set(path, [...inner, ...(command === program ? [] : options(command)), ...everywhere])
		for (const each of command.commands) add(each, `${path} ${each.name()}`.trim())
	}
	add(program, '')
	return words
}

const scripts: Record<string, (words: Words) => string> = {
	bash: (words) => `# Completion of signalbox for bash.
_signalbox() {
	local path="" word
	for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		case "$word" in -*) ;; *) case "$path $word" in ${paths(words, ' ')}) path="\${path:+$path }$word" ;; esac ;; esac
	done
	local next=""
	case "$path" in
${cases(words)}
	esac
	COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _signalbox signalbox
`,
	zsh: (words) => `#compdef signalbox
autoload -U +X bashcompinit && bashcompinit
${scripts.bash?.(words)}`,
	fish: (words) =>
		[...words]
			.map(([path, next]) => {
				const seen =
					path === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${path.split(' ').at(-1)}`
				return `complete -c signalbox -f -n '${seen}' -a '${next.join(' ')}'\n`
			})
			.join(''),
}

/** Case patterns for the path of words that bash builds up, with a space before the first word. */
function paths(words: Words, before: string): string {
	const named = [...words.keys()].filter((path) => path !== '')
	return named.map((path) => `"${path.includes(' ') ? path : before + path}"`).join(' | ')
}

function cases(words: Words): string {
	return [...words].map(([path, next]) => `\t"${path}") next="${next.join(' ')}" ;;`).join('\n')
}
