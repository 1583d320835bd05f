import { isObject } from '../definition.ts'
import { escapeHidden } from './escape-hidden.ts'
import { type Finding, type Flag, flagCodes } from './flag.ts'
import { findHiddenCharacters } from './hidden-characters.ts'
import { findHiddenText } from './hidden-text.ts'
import { findInstructions } from './instructions.ts'
import { findMixedScript } from './mixed-script.ts'

const flagsMax = 100
const textMax = 64 * 1024
const totalMax = 256 * 1024
const around = 40

interface Text {
	pointer: string
	value: string
	isName: boolean
}

/** Everything in a definition that may hide from people or command the agent; at most 100 flags. Any JSON will do. */
export function scanDefinition(definition: unknown): Flag[] {
	const flags: Flag[] = []
	let total = 0
	for (const text of textsIn(definition, '', false)) {
		total += text.value.length
		if (text.value.length > textMax || total > totalMax) flags.push(oversized(text.pointer))
		else for (const finding of findIn(text)) flags.push(toFlag(text, finding))
		if (flags.length >= flagsMax || total > totalMax) break
	}
	return flags.slice(0, flagsMax)
}

/** All text of a definition: the values, and the names of properties, which the model reads too. */
function* textsIn(value: unknown, pointer: string, isName: boolean): Generator<Text> {
	if (typeof value === 'string') yield { pointer, value, isName }
	else if (Array.isArray(value))
		for (const [index, item] of value.entries()) yield* textsIn(item, `${pointer}/${index}`, isName)
	else if (isObject(value))
		for (const [name, inner] of Object.entries(value)) {
			const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
			yield { pointer: at, value: name, isName: true }
			yield* textsIn(inner, at, pointer === '' && name === 'name')
		}
}

function findIn({ value, isName }: Text): Finding[] {
	const found = [...findHiddenCharacters(value), ...findMixedScript(value, isName)]
	if (value.length >= 12) found.push(...findHiddenText(value), ...findInstructions(plainOf(value)))
	return found
}

/** Letters in another dress must not hide a sentence; positions then are those of the plain text. */
function plainOf(value: string): string {
	return /^[\0-\x7f]*$/.test(value) ? value : value.normalize('NFKC').replaceAll(/\p{Cf}/gu, '')
}

function toFlag({ pointer, value }: Text, { code, position }: Finding): Flag {
	const start = Math.max(0, position - around)
	const end = position + 2 * around
	const text = escapeHidden(value.slice(start, end)).toWellFormed()
	const excerpt = `${start > 0 ? '…' : ''}${text}${end < value.length ? '…' : ''}`
	return { code, severity: flagCodes[code], pointer, position, excerpt }
}

function oversized(pointer: string): Flag {
	const excerpt = 'The text is too long to be read.'
	return { code: 'oversized_text', severity: flagCodes.oversized_text, pointer, position: 0, excerpt }
}
