import type { BodyOf, OutputOf, serverImportOperations, serverOperations } from '@signalbox/contract'
import { Problem } from '../platform/errors.ts'
import { createServer } from './create-server.ts'
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

type NewServer = BodyOf<(typeof serverOperations)['create']>

/** What clients call the transports. */
const transports: Record<string, NewServer['transport_type']> = {
	http: 'http',
	'streamable-http': 'http',
	streamableHttp: 'http',
	sse: 'sse',
	stdio: 'stdio',
	local: 'stdio',
}
/** What only a client can fill in: `${input:key}`, `${env:KEY}`, `${KEY}`. */
const placeholder = /\$\{[^}]*\}/

/** One entry of an mcp.json as a server to be registered. Throws `invalid_request` with what is wrong. */
function parseEntry(name: string, entry: unknown): NewServer {
	if (name === '' || name.length > 100) throw wrong('needs a name of 1 to 100 characters')
	if (!isObject(entry)) throw wrong('is not an object')
	const found = placeholder.exec(JSON.stringify(entry))
	if (found) throw wrong(`has the placeholder ${found[0]}: put its value there`)
	const type = entry.type ?? entry.transport
	if (type !== undefined && !transports[String(type)]) throw wrong(`has the unknown type ${String(type)}`)
	return entry.command === undefined ? parseRemote(name, entry, type) : parseProgram(name, entry)
}

function parseRemote(name: string, entry: Record<string, unknown>, type: unknown): NewServer {
	const url = entry.url ?? entry.serverUrl ?? entry.httpUrl
	if (typeof url !== 'string' || url === '' || url.length > 2048)
		throw wrong('has neither a url nor a command')
	// `http` may mean either transport in older files, so it is found out.
	const known = type === undefined ? undefined : transports[String(type)]
	return {
		name,
		url,
		...(known === 'sse' && { transport_type: known }),
		...(entry.headers !== undefined && { headers: parseTexts('headers', entry.headers) }),
	}
}

function parseProgram(name: string, { command, args, env }: Record<string, unknown>): NewServer {
	if (typeof command !== 'string' || command === '' || command.length > 1024)
		throw wrong('has a command that is no text')
	if (args !== undefined && !isTextList(args)) throw wrong('has args that are no list of texts')
	return {
		name,
		command,
		...(isTextList(args) && { args }),
		...(env !== undefined && { env: parseTexts('env', env) }),
	}
}

function parseTexts(field: string, value: unknown): Record<string, string> {
	const fits = (text: unknown) => typeof text === 'string' && text.length <= 8192
	if (!isObject(value) || !Object.values(value).every(fits) || Object.keys(value).length > 100)
		throw wrong(`has ${field} that are no object of texts`)
	return value as Record<string, string>
}

function isTextList(value: unknown): value is string[] {
	const fits = (text: unknown) => typeof text === 'string' && text.length <= 4096
	return Array.isArray(value) && value.length <= 100 && value.every(fits)
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function wrong(detail: string): Problem {
	return new Problem('invalid_request', `The entry ${detail}.`)
}
