import { Command, Option } from 'commander'
import { flagOf, fullName, setCommandLine } from '../../config/config.ts'
import { settings } from '../../config/settings.ts'
import { readVersion } from '../../platform/version.ts'
import { CommandFailure, exitCodes, type Outcome, outcomeOf, printResult } from './outcome.ts'
import { writeError } from './terminal.ts'

/** The settings in the help text of commands that start the program or check its settings; the others exist too. */
const ofProgram: ReadonlySet<string> = new Set([
	'HOST',
	'PORT',
	'DATA_DIR',
	'PUBLIC_URL',
	'LOG_LEVEL',
	'DEMO',
])
/** The same for commands that only open its stores. */
const ofStores: ReadonlySet<string> = new Set(['DATA_DIR'])

/**
 * Adds a flag to a command for each setting; the help text has those in `shown`. Secrets have none, because every user of the machine can read a command line. The
 * values are set before the command runs.
 */
function addSettingFlags(command: Command, shown: ReadonlySet<string>): void {
	const flags = Object.entries(settings)
		.filter(([, setting]) => !('secret' in setting))
		.map(([name, setting]) => ({ name, option: optionOf(name, setting) }))
	command.addOption(
		new Option('--config <path>', 'settings file; else signalbox.yaml beside the data directory or here'),
	)
	for (const { name, option } of flags) command.addOption(shown.has(name) ? option : option.hideHelp())
	command.hook('preAction', () => {
		const given = command.opts<Record<string, string | undefined>>()
		const values = flags.map(({ name, option }) => [fullName(name), given[option.attributeName()]] as const)
		setCommandLine(Object.fromEntries(values), given.config ?? null)
	})
}

function optionOf(name: string, { meaning, bare }: { meaning: string; bare?: string }): Option {
	const flag = flagOf(fullName(name))
	return bare === undefined
		? new Option(`${flag} <value>`, meaning)
		: new Option(`${flag} [value]`, meaning).preset(bare)
}

/** A group of commands under one noun; they are loaded only if the noun occurs in the command line. */
interface CommandGroup {
	name: string
	description: string
	load(): Promise<(program: Command) => void>
}

const groups: readonly CommandGroup[] = [
	{
		name: 'login',
		description: 'Store the address of an instance and a key for it',
		load: async () => (await import('./connection.ts')).addLoginCommand,
	},
	{
		name: 'logout',
		description: 'Remove what login stored',
		load: async () => (await import('./connection.ts')).addLogoutCommand,
	},
	{
		name: 'servers',
		description: 'MCP servers',
		load: async () => (await import('./server-commands.ts')).addServerCommands,
	},
	{
		name: 'agents',
		description: 'Agents',
		load: async () => (await import('./agent-commands.ts')).addAgentCommands,
	},
	{
		name: 'access',
		description: 'Which agent may use which tool',
		load: async () => (await import('./agent-commands.ts')).addAccessCommands,
	},
	{
		name: 'toolsets',
		description: 'Named lists of tools for groups of agents',
		load: async () => (await import('./agent-commands.ts')).addToolsetCommands,
	},
	{
		name: 'call',
		description: 'Call a tool',
		load: async () => (await import('./server-commands.ts')).addCallCommand,
	},
	{
		name: 'api',
		description: 'Call any operation of the API',
		load: async () => (await import('./api-command.ts')).addApiCommand,
	},
	{
		name: 'tail',
		description: 'Show calls and spans as they are recorded',
		load: async () => (await import('./tail-command.ts')).addTailCommand,
	},
	{
		name: 'import',
		description: 'Register the servers of an mcp.json',
		load: async () => (await import('./server-commands.ts')).addImportCommand,
	},
	{
		name: 'mcp',
		description: 'Configure an MCP client for Signalbox, or observe an MCP server of your own',
		load: async () => (await import('./mcp-commands.ts')).addMcpCommands,
	},
	{
		name: 'export',
		description: 'Write the configuration of the workspace as YAML',
		load: async () => (await import('./config-file-commands.ts')).addExportCommand,
	},
	{
		name: 'diff',
		description: 'Show what apply would change',
		load: async () => (await import('./config-file-commands.ts')).addDiffCommand,
	},
	{
		name: 'apply',
		description: 'Change the workspace to match a file',
		load: async () => (await import('./config-file-commands.ts')).addApplyCommand,
	},
	{
		name: 'config-file',
		description: 'The file of export, diff and apply',
		load: async () => (await import('./config-file-commands.ts')).addConfigFileCommands,
	},
	{
		name: 'config',
		description: 'Check and print the settings',
		load: async () => (await import('./config-commands.ts')).addConfigCommands,
	},
	{
		name: 'audit',
		description: 'The audit log',
		load: async () => (await import('./admin-commands.ts')).addAuditCommands,
	},
	{
		name: 'admin',
		description: 'Operators, and help for people who cannot sign in',
		load: async () => (await import('./admin-commands.ts')).addAdminCommands,
	},
	{
		name: 'keys',
		description: 'Platform keys, agent keys and ingest tokens',
		load: async () => (await import('./key-commands.ts')).addKeyCommands,
	},
	{
		name: 'migrate',
		description: 'Schemas of the stores; a start migrates them automatically',
		load: async () => (await import('./store-commands.ts')).addMigrateCommands,
	},
	{
		name: 'telemetry',
		description: 'Telemetry schema for a ClickHouse cluster',
		load: async () => (await import('./store-commands.ts')).addTelemetryCommands,
	},
	{
		name: 'backup',
		description: 'Backups of everything except the master key',
		load: async () => (await import('./store-commands.ts')).addBackupCommands,
	},
	{
		name: 'doctor',
		description: 'Check everything that an instance needs, and say how to fix what is wrong',
		load: async () => (await import('./doctor-command.ts')).addDoctorCommand,
	},
	{
		name: 'completion',
		description: 'Print a completion script for a shell',
		load: async () => addCompletionCommand,
	},
]

/** These work on the stores of this machine, so they use the settings of the program. */
const local: ReadonlySet<string> = new Set([
	'config',
	'audit',
	'admin',
	'keys',
	'migrate',
	'telemetry',
	'backup',
	'doctor',
])
/** Those of them that concern every setting. */
const aboutSettings: ReadonlySet<string> = new Set(['config', 'doctor'])
/** Commands in these groups that read no settings. */
const settingless: ReadonlySet<string> = new Set([
	'keys list',
	'keys rotate',
	'keys generate',
	'config schema',
	'backup verify',
])

const help = `
Commands that ask a running instance take its address and a key from --url and --key, from SIGNALBOX_URL and SIGNALBOX_KEY,
or from the profile that \`signalbox login\` stores.

Exit codes: 0 ok, 1 failed, 2 usage, 3 not allowed, 4 not found`

/** The command line tool `signalbox`. Commands named in `words` are complete, the others have only their name. */
export async function createProgram(words: readonly string[]): Promise<Command> {
	const program = new Command('signalbox')
		.description('Self-hosted platform for running AI agents')
		.version(readVersion(), '--version', 'print the version of this program')
		.option('--json', 'print one JSON document')
		.option('--quiet', 'print no confirmations')
		.option('--yes', 'answer every prompt with yes')
		.option('--url <url>', 'address of the instance')
		.option(
			'--key <key>',
			'platform key or access token; other processes can see it, so better SIGNALBOX_KEY',
		)
		.option('--profile <name>', 'profile of `signalbox login`', 'default')
		.exitOverride()
		.showHelpAfterError('(--help shows its usage)')
		.configureHelp({ showGlobalOptions: true })
		.addHelpText('after', help)
	// With --json the error is reported once, as a document.
	if (words.includes('--json')) program.configureOutput({ writeErr: () => undefined })
	const start = program
		.command('start')
		.description('Start the program in the foreground')
		// Imported here, because all other commands need neither the engine nor the listeners.
		.action(async () => void (await import('../../main.ts')))
	// A completion script lists all of them.
	const all = words.includes('completion')
	addSettingFlags(start, ofProgram)
	start.addHelpText(
		'after',
		'\nEvery other setting that is not a secret is a flag too, such as --workers: signalbox config print lists them.',
	)
	for (const { name, description, load } of groups) {
		if (all || words.includes(name)) (await load())(program)
		else program.command(name).description(description)
	}
	for (const command of program.commands) {
		const group = command.name()
		const shown = aboutSettings.has(group) ? ofProgram : ofStores
		if (local.has(group) && words.includes(group))
			for (const leaf of leavesOf(command))
				if (!settingless.has(`${group} ${leaf.name()}`)) addSettingFlags(leaf, shown)
		overrideExit(command)
	}
	return program
}

function leavesOf(command: Command): readonly Command[] {
	return command.commands.length > 0 ? command.commands : [command]
}

function overrideExit(command: Command): void {
	command.exitOverride()
	for (const inner of command.commands) overrideExit(inner)
}

/** Commander's `help servers add` shows only `servers`, so it becomes `servers add --help`. */
function withoutNestedHelp(words: readonly string[]): readonly string[] {
	return words[0] === 'help' && words.length > 2 ? [...words.slice(1), '--help'] : words
}

/** Runs a command line. A failure is reported on standard error, and by `process.exitCode`. */
export async function runCommandLine(typed: readonly string[]): Promise<void> {
	const words = withoutNestedHelp(typed)
	try {
		await (await createProgram(words)).parseAsync([...words], { from: 'user' })
	} catch (error) {
		const group = words.find((word) => groups.some(({ name }) => name === word))
		const outcome = outcomeOf(error, group !== undefined && local.has(group))
		process.exitCode = outcome.exitCode
		const json = words.includes('--json')
		if (json && outcome.exitCode !== 0) writeError(toJson(outcome), true)
		else if (!outcome.reported) writeError(await toText(outcome), false)
	}
}

function toJson({ exitCode, message, code, details }: Outcome): string {
	return `${JSON.stringify({ error: { message, code, details, exit_code: exitCode } }, null, 2)}\n`
}

async function toText(outcome: Outcome): Promise<string> {
	const { textWithoutRemedy } = await import('@signalbox/contract/problems')
	const message = textWithoutRemedy(outcome.code ?? undefined, outcome.message)
	const remedy = await nextStep({ ...outcome, message })
	const details = outcome.details.map((detail) => `  - ${detail}`)
	return [message, ...details, ...(remedy ? [`→ ${remedy}`] : []), ''].join('\n')
}

/** The remedy that the error catalogue has. That of an invalid request speaks of `errors`, whose text the message contains. */
async function nextStep({ message, code, isLocal }: Outcome): Promise<string | null> {
	if (message.endsWith('This endpoint takes an access token (JWT).'))
		return 'Only a person can do this, not a key: set SIGNALBOX_KEY to what `signalbox login --url … --email … --token` prints.'
	// The remedy names the credential's workspace, but a command on the stores of this machine has none.
	if (code === 'not_found' && isLocal) return null
	const { problems, remedyOf } = await import('@signalbox/contract/problems')
	const hasRemedy = code !== null && code in problems && code !== 'invalid_request'
	const remedy = hasRemedy ? remedyOf(code as keyof typeof problems) : null
	// Some remedies only point to the text, which is one line above.
	const isPointer = remedy !== null && /^The text above (names|says|has)[^;.]*\.$/.test(remedy)
	return isPointer || remedy === message ? null : remedy
}

/** Words that may follow, keyed by the preceding words: `servers` → `list add …`. */
type Words = Map<string, string[]>

function addCompletionCommand(program: Command): void {
	program
		.command('completion')
		.argument('<shell>', 'bash, zsh or fish')
		.description('Print a completion script: source <(signalbox completion bash)')
		.action(printScript)
}

function printScript(shell: string, _options: object, command: Command): void {
	const scriptOf = scripts[shell]
	if (!scriptOf) throw new CommandFailure(exitCodes.usage, 'The shells are bash, zsh and fish.')
	const script = scriptOf(wordsOf(command.parent ?? command))
	printResult(command.optsWithGlobals().json === true, { shell, script }, [script.trimEnd()])
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
