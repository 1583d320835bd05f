import { type Command, Option } from 'commander'
import { flagOf, fullName, setCommandLine, settings } from '../../config/config.ts'

/** The ones that help shows; the others are there too. */
const shown: ReadonlySet<string> = new Set(['HOST', 'PORT', 'DATA_DIR', 'PUBLIC_URL', 'LOG_LEVEL', 'DEMO'])

/**
 * Gives a command a flag for each setting. Secrets have none: every user of the machine can read a command line.
 * What is given stands before the command runs.
 */
export function addSettingFlags(command: Command): void {
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
