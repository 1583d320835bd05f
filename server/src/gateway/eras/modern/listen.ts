import {
	isObject,
	type JsonObject,
	metaOf,
	RpcFailure,
	type RpcRequest,
	resultMessage,
	rpcCodes,
} from '../../../mcp-client/index.ts'
import type { Gateway, HeardResources, ListName } from '../../gateway.ts'
import { allLists, eventStream } from '../../listening/client-streams.ts'
import { listeningCheck } from '../../listening/client-subscription.ts'
import type { McpHttpRequest } from '../../mcp-http-request.ts'
import type { Caller, ClientProgram } from '../../operation.ts'
import { introduce } from '../../perform/introduce.ts'
import { askForResource } from '../../perform/parts/use-parts.ts'
import { toEvent } from '../../reply.ts'
import { listenToTasks, readTaskIds } from '../../tasks/plan-task-request.ts'

const subscriptionId = 'io.modelcontextprotocol/subscriptionId'
const urisMost = 1000

/** `subscriptions/listen`: a stream of what the client chose, of which the first message says what it will hear. */
export async function openListen(
	gateway: Gateway,
	visit: McpHttpRequest,
	client: ClientProgram,
	request: RpcRequest,
): Promise<void> {
	const { response, caller } = visit
	const wish = readWish(request.params)
	const taskIds = readTaskIds(request.params, client)
	const check = listeningCheck(gateway, visit)
	const problem = check()
	if (problem) throw problem
	const { capabilities } = introduce(gateway, caller)
	const lists = new Set(
		[...wish.lists].filter((name) => name === 'tools' || capabilities[name] !== undefined),
	)
	response.writeHead(200, eventStream)
	const write = (method: string, params: JsonObject) => {
		const _meta = { ...metaOf(params), [subscriptionId]: request.id }
		response.write(toEvent(JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, _meta } })))
	}
	// Nothing may come before the acknowledgement.
	let early: [string, JsonObject][] | null = []
	const tell = (method: string, params: JsonObject) =>
		early ? void early.push([method, params]) : write(method, params)
	const end = () => {
		const result = { resultType: 'complete', _meta: { [subscriptionId]: request.id } }
		response.end(toEvent(resultMessage(request.id, JSON.stringify(result))))
	}
	const ear = gateway.streams.listen({ caller, client, lists, tell }, response, end)
	visit.guard(check, end)
	const taken = await subscribeAll(gateway, caller, ear, wish.uris)
	const tasks = await listenToTasks(gateway, caller, taskIds, tell, (endTask) =>
		response.once('close', endTask),
	)
	const notifications = { ...acknowledged(lists, taken), ...(tasks.length > 0 && { taskIds: tasks }) }
	write('notifications/subscriptions/acknowledged', { notifications })
	for (const [method, params] of early) write(method, params)
	early = null
}

interface Wish {
	lists: ReadonlySet<ListName>
	uris: readonly string[]
}

function readWish({ notifications }: JsonObject): Wish {
	const uris = isObject(notifications) ? (notifications.resourceSubscriptions ?? []) : null
	const isGood =
		isObject(notifications) && Array.isArray(uris) && uris.every((uri) => typeof uri === 'string')
	if (!isGood || uris.length > urisMost)
		throw new RpcFailure(
			rpcCodes.invalidParams,
			`\`notifications\` must be a filter with at most ${urisMost} resources.`,
		)
	const lists = [...allLists].filter((name) => notifications[`${name}ListChanged`] === true)
	return { lists: new Set(lists), uris: [...new Set(uris)] }
}

/** The URIs that may be heard of; the others are left out of the acknowledgement. */
async function subscribeAll(
	gateway: Gateway,
	caller: Caller,
	ear: HeardResources,
	uris: readonly string[],
): Promise<string[]> {
	const outcomes = await Promise.allSettled(
		uris.map(async (uri) => {
			const choice = await askForResource(gateway, caller, uri)
			const refused = gateway.enforcement.refusalOfPart(caller.agentId, choice.server, {
				resource: choice.uri,
			})
			if (refused) throw refused
			await ear.subscribe(uri, choice)
		}),
	)
	return uris.filter((_, index) => outcomes[index]?.status === 'fulfilled')
}

function acknowledged(lists: ReadonlySet<ListName>, uris: readonly string[]): JsonObject {
	const names = [...lists].map((name) => [`${name}ListChanged`, true] as const)
	return { ...Object.fromEntries(names), ...(uris.length > 0 && { resourceSubscriptions: uris }) }
}
