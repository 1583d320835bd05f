import type { Command } from 'commander'
import { type Config, ConfigError, readConfig, sourceOf } from '../../config/config.ts'
import { configFileSchema, settings } from '../../config/settings.ts'
import { exitCodes, printResult } from './outcome.ts'

interface SettingLine {
	name: string
	/** Null if it is not set; secrets are hidden. */
	value: string | null
	source: ReturnType<typeof sourceOf>['source']
	/** The name of the setting in its source; null for defaults. */
	place: string | null
	meaning: string
}

export function addConfigCommands(program: Command): void {
	const config = program.command('config').description('Check and print the settings')
	config
		.command('check')
		.description('Check every setting, without starting anything')
		.action((_options: object, command: Command) => {
			const mistakes = mistakesOfSettings()
			if (mistakes.length > 0) process.exitCode = exitCodes.failed
			const text = mistakes.length > 0 ? new ConfigError(mistakes).message : 'The configuration is valid.'
			printResult(isJson(command), { valid: mistakes.length === 0, mistakes }, [text])
		})
	config
		.command('print')
		.description('Print every setting with its source and meaning; secrets are hidden')
		.action((_options: object, command: Command) => {
			const lines = describeSettings(readConfig())
			printResult(isJson(command), { settings: lines }, lines.flatMap(toText))
		})
	config
		.command('schema')
		.description('Print the JSON Schema of signalbox.yaml, for editors')
		.action(() => printResult(true, configFileSchema(), []))
}

export function isJson(command: Command): boolean {
	return command.optsWithGlobals<{ json?: boolean }>().json === true
}

function mistakesOfSettings(): string[] {
	try {
		readConfig()
		return []
	} catch (error) {
		if (error instanceof ConfigError) return error.mistakes
		throw error
	}
}

function describeSettings(config: Config): SettingLine[] {
	return (Object.keys(settings) as (keyof typeof settings)[]).map((name) => {
		const { source, fullName, place } = sourceOf(name)
		const value = config[name]
		const isSecret = 'secret' in settings[name] && value !== null
		const text = value === null ? null : Array.isArray(value) ? value.join(',') : textOf(value)
		return {
			name: fullName,
			value: isSecret ? '[redacted]' : text,
			source,
			place,
			meaning: settings[name].meaning,
		}
	})
}

function textOf(value: unknown): string {
	return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function toText({ name, value, source, place, meaning }: SettingLine): string[] {
	const where = place !== null && place !== name ? `${source}: ${place}` : source
	return [`${name}=${value ?? ''}  (${where})`, `    ${meaning}`]
}
