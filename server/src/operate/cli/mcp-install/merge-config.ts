import { CommandFailure, exitCodes } from '../outcome.ts'

type Json = Record<string, unknown>

/** The text of a client's configuration file with our entry in it; everything else in the file stays as it is. */
export function mergeConfig(path: string, before: string | null, entry: string): string {
	if (before === null || before.trim() === '') return entry
	return path.endsWith('.toml') ? mergeToml(before, entry) : mergeJson(path, before, entry)
}

function mergeJson(path: string, before: string, entry: string): string {
	const merged = merge(parse(path, before), JSON.parse(entry) as Json)
	return `${JSON.stringify(merged, null, indentOf(before))}\n`
}

/** One level of names (`mcpServers`), then the entries; lists (`inputs`) take what has a new id. */
function merge(file: Json, ours: Json): Json {
	const merged: Json = { ...file }
	for (const [name, value] of Object.entries(ours)) {
		const present = file[name]
		if (Array.isArray(value) && Array.isArray(present))
			merged[name] = [...present.filter(({ id }) => !value.some((input) => input.id === id)), ...value]
		else if (isObject(value) && isObject(present)) merged[name] = { ...present, ...value }
		else merged[name] = value
	}
	return merged
}

function parse(path: string, text: string): Json {
	try {
		const value: unknown = JSON.parse(text)
		if (isObject(value)) return value
	} catch {}
	throw new CommandFailure(
		exitCodes.failed,
		`${path} is no plain JSON object (comments?); add the entry by hand: --print shows it.`,
	)
}

function isObject(value: unknown): value is Json {
	return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function indentOf(text: string): string {
	return /\n([ \t]+)"/.exec(text)?.[1] ?? '  '
}

/** Our table takes the place of the one with its name, up to the next heading; else it comes last. */
function mergeToml(before: string, entry: string): string {
	const heading = entry.split('\n')[0] as string
	const lines = before.split('\n')
	const first = lines.findIndex((line) => line.trim() === heading)
	if (first < 0) return `${before.trimEnd()}\n\n${entry}`
	const next = lines.findIndex((line, index) => index > first && line.trimStart().startsWith('['))
	const after = next < 0 ? [] : ['', ...lines.slice(next)]
	return [...lines.slice(0, first), ...entry.trimEnd().split('\n'), ...after]
		.join('\n')
		.trimEnd()
		.concat('\n')
}
