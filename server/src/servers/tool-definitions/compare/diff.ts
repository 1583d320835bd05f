import { isDeepStrictEqual } from 'node:util'
import { isObject, readParts, type ToolDefinition } from '../definition.ts'
import { escapeHidden } from '../scan/hidden-characters.ts'

/** One place where two definitions of a tool differ. */
export interface Difference {
	part: (typeof readParts)[number]
	/** JSON pointer into the part; '' is the part itself. */
	pointer: string
	change: 'added' | 'removed' | 'changed'
	/** Null when it was, or is, not there. */
	from: unknown
	to: unknown
	/** For people: what hides is written out. */
	text: string
}

const differencesMax = 500
const excerptMax = 300

/** Where two definitions differ in what agents and people read, in the order of the parts; at most 500 places. */
export function diffDefinitions(before: ToolDefinition, after: ToolDefinition): Difference[] {
	const found: Difference[] = []
	for (const part of readParts) diff(found, part, '', before[part], after[part])
	return found
}

function diff(
	found: Difference[],
	part: Difference['part'],
	pointer: string,
	from: unknown,
	to: unknown,
): void {
	if (isDeepStrictEqual(from, to) || found.length >= differencesMax) return
	const [was, is] = [fieldsOf(from), fieldsOf(to)]
	if (was && is) diffFields(found, part, pointer, was, is)
	else found.push(differenceOf(part, pointer, from, to))
}

/** Objects, and lists of objects, are compared field by field. */
function fieldsOf(value: unknown): Record<string, unknown> | null {
	if (Array.isArray(value) && value.some(isObject)) return { ...value }
	return isObject(value) ? value : null
}

function differenceOf(part: Difference['part'], pointer: string, from: unknown, to: unknown): Difference {
	const change = from === undefined ? 'added' : to === undefined ? 'removed' : 'changed'
	const difference = { part, pointer, change, from: from ?? null, to: to ?? null } as const
	return { ...difference, text: sentence(difference) }
}

function diffFields(
	found: Difference[],
	part: Difference['part'],
	pointer: string,
	from: Record<string, unknown>,
	to: Record<string, unknown>,
): void {
	for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
		const inner = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
		diff(found, part, inner, own(from, name), own(to, name))
	}
}

function own(object: Record<string, unknown>, name: string): unknown {
	return Object.hasOwn(object, name) ? object[name] : undefined
}

function sentence({ part, pointer, change, from, to }: Omit<Difference, 'text'>): string {
	const place = escapeHidden(`${part}${pointer}`)
	if (change === 'added') return `${place} was added: ${excerpt(to)}`
	if (change === 'removed') return `${place} was removed: ${excerpt(from)}`
	return `${place} changed from ${excerpt(from)} to ${excerpt(to)}`
}

function excerpt(value: unknown): string {
	const text = escapeHidden(JSON.stringify(value) ?? 'null')
	return text.length > excerptMax ? `${text.slice(0, excerptMax)}…` : text
}
