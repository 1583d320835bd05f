import type { IncomingHttpHeaders } from 'node:http'
import { formFieldIn } from './multipart.ts'
import { fieldsOf } from './tee/json-fields.ts'

/** `model` in every mixture of small and capital letters: some servers take each for the field. */
const spellings: ReadonlySet<string> = new Set(
	Array.from({ length: 32 }, (_, bits) =>
		[...'model'].map((letter, at) => ((bits >> at) & 1 ? letter.toUpperCase() : letter)).join(''),
	),
)

/**
 * The model that a body asks for, or null when it cannot be told for sure: a compressed body, no JSON, no such field, or
 * one in several spellings, of which the provider may read another than we.
 */
export function modelIn(headers: IncomingHttpHeaders, body: Buffer): string | null {
	const encoding = headers['content-encoding']
	if (encoding !== undefined && encoding !== 'identity') return null
	if (headers['content-type']?.startsWith('multipart/')) return formFieldIn(headers, body, 'model')
	const found = fieldsOf(body, spellings)
	const model = found.get('model')
	return found.size === 1 && typeof model === 'string' ? model : null
}

/** The wanted fields of what was asked; undefined where the body cannot be read. */
export function askedFields(
	headers: IncomingHttpHeaders,
	body: Buffer,
	wanted: ReadonlySet<string>,
): ReadonlyMap<string, unknown> | undefined {
	if (headers['content-encoding'] !== undefined) return undefined
	if (!headers['content-type']?.startsWith('multipart/')) return fieldsOf(body, wanted)
	return new Map([['model', formFieldIn(headers, body, 'model')]])
}
