import { setImmediate } from 'node:timers/promises'
import { Problem } from '../../../platform/errors.ts'
import { type CallBody, cannotRead } from '../call-body.ts'
import { providers } from '../providers/index.ts'
import { fieldsIn, type ModelProvider, type Surface } from '../providers/provider.ts'
import type { Target } from '../target.ts'
import type { ObjectOwners } from './object-owners.ts'
import type { Maker } from './stored-by-call.ts'

/** Refuses a call with a stored key that names an object of another agent, as if the object did not exist: 404. */
export async function requireOwnObjects(
	objects: Pick<ObjectOwners, 'findForeign'>,
	{ workspaceId, agentId }: Maker,
	target: Target,
	body: CallBody,
): Promise<void> {
	if (target.ownKey || !target.connectionId || !target.surface) return
	const ids = await namedBy(target, body)
	if (ids.length === 0) return
	const owner = { workspaceId, connectionId: target.connectionId, owner: agentId }
	const foreign = await objects.findForeign(owner, ids)
	if (foreign !== null)
		throw new Problem(
			'not_found',
			`There is no object ${foreign} that was made by this caller over this connection.`,
		)
}

type ReferencesIn = NonNullable<ModelProvider['referencesIn']>

async function namedBy({ surface, provider }: Target, body: CallBody): Promise<readonly string[]> {
	const inPath = surface?.object === undefined ? [] : [surface.object]
	const { referencesIn, mayReferToItems } = providers[provider]
	if (!surface?.refers || !referencesIn || body.plain.length === 0) return inPath
	// Of files, only the lines of a batch are read as requests.
	if (surface.operation === 'files' && body.form && body.formField('purpose') !== 'batch') return inPath
	const inFields = namedInFields(surface, body)
	const inDocument = () =>
		mayReferToItems?.(surface, body.plain)
			? referencesIn(body.plain.toString(), true)
			: namedInJson(body, body.json?.strings ?? [], referencesIn)
	const inBody = body.json ? inDocument() : namedInText(body, referencesIn)
	return [...inPath, ...inFields, ...(await inBody)]
}

/** The ids in fields that can contain nothing else. Google accepts both spellings of their names (snake case and camel case). */
function namedInFields({ namesIn }: Surface, body: CallBody): string[] {
	if (!namesIn) return []
	if (!body.json) throw cannotRead(body, 'The check of who owns the continued interaction')
	const wanted = new Set(namesIn.map(spelling))
	return body.json.members
		.filter(({ name }) => wanted.has(spelling(name)))
		.flatMap(({ from, to }) => idsIn(JSON.parse(body.plain.toString('utf8', from, to))))
}

const spelling = (name: string) => name.replaceAll('_', '').toLowerCase()

/** An environment is named by its id, alone or in an object; `remote` asks for a new one. */
function idsIn(value: unknown): string[] {
	if (typeof value === 'string') return value === '' || value === 'remote' ? [] : [value]
	const inner = Object.entries(fieldsIn(value) ?? {}).filter(([name]) => spelling(name) === 'environmentid')
	return inner.flatMap(([, id]) => idsIn(id))
}

/** Searching this much takes some milliseconds. */
const pieceBytes = 256 * 1024
/** No reference is longer, even written with escapes. */
const maxReference = 4096

/** The document is parsed as a whole only if one of its texts may be a reference. */
async function namedInJson(
	{ plain }: CallBody,
	strings: readonly number[],
	referencesIn: ReferencesIn,
): Promise<readonly string[]> {
	let piece = ''
	for (let at = 0; at < strings.length; at += 2) {
		const [from, to] = [strings[at] as number, strings[at + 1] as number]
		piece += `${textToSearch(plain, from, to)},`
		if (piece.length < pieceBytes && at + 2 < strings.length) continue
		if (piece.includes('"item_reference"') || referencesIn(piece, false).length > 0)
			return referencesIn(plain.toString(), true)
		piece = ''
		if (at + 2 < strings.length) await setImmediate()
	}
	return []
}

/** A reference is a text or the end of one, as in Google's addresses. */
function textToSearch(plain: Buffer, from: number, to: number): string {
	if (to - from > maxReference) return `"${plain.toString('utf8', to - maxReference, to)}`
	const text = plain.toString('utf8', from, to)
	return text.includes('\\') ? JSON.stringify(JSON.parse(text)) : text
}

/**
 * What is invalid JSON here may be valid for the provider, in any Unicode encoding: everything that looks like a reference counts
 * as one.
 */
async function namedInText({ plain }: CallBody, referencesIn: ReferencesIn): Promise<readonly string[]> {
	const named = new Set<string>()
	for (let from = 0; from < plain.length; from += pieceBytes) {
		// In UTF-16 and UTF-32, each letter of a reference is surrounded by zero bytes.
		const piece = plain.toString('latin1', from, from + pieceBytes + 4 * maxReference)
		for (const name of referencesIn(piece.replaceAll('\0', ''), false)) named.add(name)
		if (from + pieceBytes < plain.length) await setImmediate()
	}
	return [...named]
}
