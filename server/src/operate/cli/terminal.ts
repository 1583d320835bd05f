import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'

/**
 * Characters that a terminal may interpret: control characters except line breaks and tabs, and those that reorder or hide text.
 * Names, descriptions and results come from outsiders, who could forge lines or type commands with them.
 */
const acting =
	// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are searched for.
	/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

/** Text for people: whole control sequences are removed, single characters of this kind are shown as `�`. */
function plainText(text: string): string {
	return stripVTControlCharacters(text.replaceAll('\r\n', '\n')).replace(acting, '\ufffd')
}

/** The same as one line. */
export function plainLine(text: string): string {
	return plainText(text).replace(/[\n\t]/g, ' ')
}

/** Whether a terminal may interpret a part of the text. */
export function actsOnTerminal(text: string): boolean {
	return text.search(acting) !== -1
}

/** JSON, and strings of YAML in double quotes, can represent the same text with these characters escaped. */
export function plainJson(json: string): string {
	return json.replace(acting, (found) => (found === '\r' ? found : found.split('').map(escaped).join('')))
}

function escaped(unit: string): string {
	return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** `1 tool`, `12 tools`. */
export function counted(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Writes to standard output, as text or as JSON. */
export function writeOut(text: string, isJson: boolean): void {
	process.stdout.write(isJson ? plainJson(text) : plainText(text))
}

/** Writes to standard error, as text or as JSON. */
export function writeError(text: string, isJson: boolean): void {
	process.stderr.write(isJson ? plainJson(text) : plainText(text))
}

/** A text argument: the text itself, `@file`, or `-` for standard input. */
export async function readGivenText(given: string): Promise<string> {
	if (given === '-') return readGivenFile(given)
	return given.startsWith('@') ? readGivenFile(given.slice(1)) : given
}

/** The text of a file, or of standard input for `-`. */
export async function readGivenFile(path: string): Promise<string> {
	return path === '-' ? text(process.stdin) : readFileSync(path, 'utf8')
}
