import type { Command } from 'commander'
import { type Config, readConfig, settings, sourceOf } from '../config.ts'
import { printResult } from './outcome.ts'

interface SettingLine {
	name: string
	/** Null when nothing is set; secrets are blanked out. */
	value: string | null
	source: 'environment' | 'file' | 'default'
	meaning: string
}

export function addConfigCommands(program: Command): void {
	const config = program.command('config').description('Look at the settings')
	config
		.command('check')
		.description('Check every setting, without starting anything')
		.action((_options: object, command: Command) => {
			readConfig()
			printResult(isJson(command), { valid: true }, ['The configuration is valid.'])
		})
	config
		.command('print')
		.description('Print every setting with its source and meaning; secrets are blanked out')
		.action((_options: object, command: Command) => {
			const lines = describeSettings(readConfig())
			printResult(isJson(command), { settings: lines }, lines.flatMap(toText))
		})
}

export function isJson(command: Command): boolean {
	return command.optsWithGlobals<{ json?: boolean }>().json === true
}

function describeSettings(config: Config): SettingLine[] {
	return (Object.keys(settings) as (keyof typeof settings)[]).map((name) => {
		const { source, fullName } = sourceOf(name)
		const value = config[name]
		const isSecret = 'secret' in settings[name] && value !== null
		const text = value === null ? null : Array.isArray(value) ? value.join(',') : String(value)
		return { name: fullName, value: isSecret ? '[redacted]' : text, source, meaning: settings[name].meaning }
	})
}

function toText({ name, value, source, meaning }: SettingLine): string[] {
	return [`${name}=${value ?? ''}  (${source})`, `    ${meaning}`]
}
