import { invalidParams, type JsonObject, parseJsonText } from '../../mcp-client/index.ts'
import type { ServerEntry, ToolDefinition } from '../../servers/servers.ts'
import type { Gateway } from '../gateway.ts'
import { type Caller, noteFact, type Operation } from '../operation.ts'
import { ownResult, type Plan, type PlanResult, refuseWith } from '../perform/plan.ts'
import { capResult } from './cap-result.ts'
import type { KeptPage } from './kept-results.ts'

const defaultName = 'read_more'
/** Used at the endpoint of a server that has its own tool of the usual name. */
const otherName = 'signalbox_read_more'

/** Whether a name is that of this tool at the caller's endpoint. */
export function isReadMore(
	{ enforcement }: Pick<Gateway, 'enforcement'>,
	caller: Caller,
	name: string,
): boolean {
	return name === readMoreName(serverAt(enforcement, caller))
}

/** The definition for a list of these servers' tools, or null if none of them has a limit. */
export function readMoreDefinition(
	{ enforcement }: Pick<Gateway, 'enforcement'>,
	caller: Caller,
	servers: readonly ServerEntry[],
): JsonObject | null {
	if (servers.every(({ maxResultBytes }) => maxResultBytes === null)) return null
	return { name: readMoreName(serverAt(enforcement, caller)), ...definition }
}

function serverAt(enforcement: Gateway['enforcement'], { serverId }: Caller): ServerEntry | undefined {
	return serverId === null ? undefined : enforcement.server(serverId)
}

const names = new WeakMap<object, string>()

function readMoreName(server: ServerEntry | undefined): string {
	if (!server) return defaultName
	let name = names.get(server.tools)
	if (name === undefined) {
		name = server.tools.some((tool) => tool.name === defaultName) ? otherName : defaultName
		names.set(server.tools, name)
	}
	return name
}

const definition = {
	title: 'Read more',
	description:
		'Reads on in a tool result that was too long for one piece, with the reference that it ends with.',
	inputSchema: {
		type: 'object',
		properties: { reference: { type: 'string', description: 'As the result gave it' } },
		required: ['reference'],
		additionalProperties: false,
	},
	annotations: { title: 'Read more', readOnlyHint: true, openWorldHint: false },
}

/** `read_more`: returns the next page, if the caller may still use the tool from which the result came. */
export function planReadMore(gateway: Gateway, operation: Operation): Plan {
	const { caller, request } = operation
	const { reference } = (request.params.arguments ?? {}) as JsonObject
	if (typeof reference !== 'string' || reference.length > 200)
		return refuseWith(invalidParams('`reference` must be the text that the result ended with.'), defaultName)
	const { enforcement, keptResults } = gateway
	let page: KeptPage | null = null
	const refusal = () =>
		page
			? enforcement.choose(caller.agentId, page.serverId, page.tool).refusal
			: enforcement.refusalOfAgent(caller.agentId)
	return {
		server: null,
		tool: defaultName,
		refusal,
		run: async () => {
			page = await keptResults.read(caller, reference)
			const refused = refusal()
			if (refused) throw refused
			const { content, leftBytes, next } = page
			const more = next === null ? [] : [textPart(leftToRead(gateway, caller, leftBytes, next))]
			return ownResult({
				content: [...content, ...more],
				...(operation.client.era === 'modern' && { resultType: 'complete' }),
			})
		},
	}
}

/** The result of a call as the agent gets it: cut to the server's limit, with a reference to the rest. */
export function withinOnePiece(
	gateway: Gateway,
	operation: Operation,
	{ server, tool }: { server: ServerEntry; tool: ToolDefinition },
	answered: PlanResult,
): PlanResult | Promise<PlanResult> {
	const limitBytes = server.maxResultBytes
	if (limitBytes === null || Buffer.byteLength(answered.json) <= limitBytes) return answered
	return cutOff(gateway, operation, { serverId: server.id, tool: tool.name, limitBytes }, answered)
}

async function cutOff(
	gateway: Gateway,
	operation: Operation,
	{ serverId, tool, limitBytes }: { serverId: string; tool: string; limitBytes: number },
	answered: PlanResult,
): Promise<PlanResult> {
	const capped = capResult(parseJsonText(answered.json) as JsonObject, limitBytes)
	if (!capped) return answered
	noteFact(operation, 'signalbox.result.bytes', BigInt(capped.wholeBytes))
	const { result, rest } = capped
	const sentence = rest.length === 0 ? null : await keep(gateway, operation.caller, { serverId, tool }, rest)
	const content = sentence === null ? result.content : [...(result.content as unknown[]), textPart(sentence)]
	return { ...answered, json: JSON.stringify({ ...result, content }) }
}

/** Never throws: a call that has run is answered even if the rest cannot be stored. */
async function keep(
	gateway: Gateway,
	caller: Caller,
	source: { serverId: string; tool: string },
	rest: Parameters<Gateway['keptResults']['keep']>[2],
): Promise<string> {
	const leftBytes = rest.reduce((sum, { bytes }) => sum + bytes, 0)
	try {
		const { reference, keptBytes } = await gateway.keptResults.keep(caller, source, rest)
		const lost = keptBytes < leftBytes ? ` The last ${leftBytes - keptBytes} bytes are not kept.` : ''
		return leftToRead(gateway, caller, keptBytes, reference) + lost
	} catch (error) {
		gateway.log.error({ err: error }, 'gateway: the rest of a result could not be kept')
		return `[The last ${leftBytes} bytes of this result are left out, and could not be kept.]`
	}
}

function leftToRead({ enforcement }: Gateway, caller: Caller, bytes: number, reference: string): string {
	const name = readMoreName(serverAt(enforcement, caller))
	const call = JSON.stringify({ reference })
	return `[${bytes} more bytes of this result follow: call ${name} with ${call} within an hour to read on.]`
}

function textPart(text: string): JsonObject {
	return { type: 'text', text }
}
