import type { BodyOf, OutputOf, serverImportOperations } from '@signalbox/contract'
import { Problem } from '../platform/errors.ts'
import { createServer } from './create-server.ts'
import { parseEntry } from './parse-mcp-json.ts'
import type { Caller, ServerContext } from './server-context.ts'

type Import = (typeof serverImportOperations)['run']
type Imported = OutputOf<Import>['mcp_servers'][number]

/** Each is asked for up to 3 s while it is registered; no more, since those of one slug contend and have three attempts. */
const atOnce = 3

/** Registers the entries of an mcp.json, each in a transaction of its own; one that fails does not hinder the others. */
export async function importServers(
	servers: ServerContext,
	caller: Caller,
	{ mcpServers, servers: ofEditor }: BodyOf<Import>,
): Promise<OutputOf<Import>> {
	if (!mcpServers === !ofEditor)
		throw new Problem('invalid_request', 'The body needs one of mcpServers and servers.')
	const entries = Object.entries(mcpServers ?? ofEditor ?? {})
	const imported: Imported[] = []
	for (let first = 0; first < entries.length; first += atOnce)
		imported.push(
			...(await Promise.all(
				entries.slice(first, first + atOnce).map(([name, entry]) => importOne(servers, caller, name, entry)),
			)),
		)
	return { mcp_servers: imported }
}

async function importOne(
	servers: ServerContext,
	caller: Caller,
	name: string,
	entry: unknown,
): Promise<Imported> {
	try {
		const { id, slug } = await createServer(servers, caller, parseEntry(name, entry))
		return { name, outcome: 'created', id, slug, code: null, detail: null }
	} catch (error) {
		if (!(error instanceof Problem) || error.status >= 500) throw error
		const outcome = error.code === 'name_taken' ? 'skipped' : 'refused'
		return { name, outcome, id: null, slug: null, code: error.code, detail: error.message }
	}
}
