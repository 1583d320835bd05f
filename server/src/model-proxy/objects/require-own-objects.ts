import type { IncomingHttpHeaders } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { Problem } from '../../platform/errors.ts'
import { filePurposeIn } from '../multipart.ts'
import { providers } from '../providers/index.ts'
import type { Target } from '../target.ts'
import type { Maker } from './made-objects.ts'
import type { ObjectOwners } from './object-owners.ts'

/** Refuses a call with a stored key that names an object of another agent, as if there were none: 404. */
export async function requireOwnObjects(
	objects: Pick<ObjectOwners, 'firstForeign'>,
	{ workspaceId, agentId }: Maker,
	target: Target,
	headers: IncomingHttpHeaders,
	body: Buffer,
): Promise<void> {
	if (target.ownKey || !target.connectionId || !target.surface) return
	const ids = namedBy(target, headers, body)
	if (ids.length === 0) return
	const owner = { workspaceId, connectionId: target.connectionId, owner: agentId }
	const foreign = await objects.firstForeign(owner, ids)
	if (foreign !== null)
		throw new Problem(
			'not_found',
			`There is no object ${foreign} that was made by this caller over this connection.`,
		)
}

function namedBy(
	{ surface, provider }: Target,
	headers: IncomingHttpHeaders,
	body: Buffer,
): readonly string[] {
	if (surface?.object !== undefined) return [surface.object]
	const { referencesIn } = providers[provider]
	if (!surface?.refers || !referencesIn || body.length === 0) return []
	// Of files only the lines of a batch are read as requests.
	if (surface.operation === 'files' && filePurposeIn(headers, body) !== 'batch') return []
	return referencesIn(plainBody(headers, body))
}

const limit = { maxOutputLength: 64 * 1024 * 1024 }
const decoders: Record<string, (body: Buffer) => Buffer> = {
	identity: (body) => body,
	gzip: (body) => gunzipSync(body, limit),
	deflate: (body) => inflateSync(body, limit),
	br: (body) => brotliDecompressSync(body, limit),
	zstd: (body) => zstdDecompressSync(body, limit),
}

function plainBody(headers: IncomingHttpHeaders, body: Buffer): string {
	const encoding = headers['content-encoding'] ?? 'identity'
	try {
		const decode = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined
		if (decode) return decode(body).toString()
	} catch {
		// What cannot be read here could still be read by the provider.
	}
	throw new Problem(
		'unsupported_media_type',
		`A body in the encoding ${encoding} cannot be checked for stored objects.`,
	)
}
