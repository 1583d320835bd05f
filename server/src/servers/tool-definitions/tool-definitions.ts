import { type BodyOf, type OutputOf, toolDefinitionOperations } from '@signalbox/contract'
import { actorOf } from '../../accounts/audit/audit.ts'
import { appendChange } from '../../platform/changes.ts'
import { toIso } from '../../platform/clock.ts'
import type { DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import { notFound, Problem } from '../../platform/errors.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import { principalIn, type RequestContext } from '../../platform/http/route.ts'
import { notifyApproved } from './notify-changes.ts'
import { presentDefinitions, readDiff, readVersions } from './read-versions.ts'
import { evaluateTools } from './settle-tools.ts'
import { countServer, tokenJob } from './tokens/count-job.ts'
import { TokenCounter } from './tokens/count-tokens.ts'
import type { DefinitionContext } from './tool-definition-context.ts'
import {
	findServer,
	listPins,
	listTokens,
	listTools,
	listUnsettledPins,
	listVersions,
	type PinRow,
	type ServerOfTools,
	updateVersion,
	upsertPins,
} from './tool-definition-repository.ts'

export type { ToolDefinition } from './definition.ts'
export { sumOf } from './read-versions.ts'
export { prepareTools } from './scan/scan-definition.ts'
export { evaluateTools, takeTools } from './settle-tools.ts'
export {
	listChangingTools,
	listTools,
	listToolsForView,
	type PinnedToolRow,
	type ToolRow,
	type VersionTimes,
} from './tool-definition-repository.ts'

interface ToolDefinitions {
	operations: BoundOperation[]
	close(): Promise<void>
}

/** History and approval of tool definitions; `takeTools` stores what servers offer. */
export function openToolDefinitions(definitions: DefinitionContext): ToolDefinitions {
	const counter = new TokenCounter()
	definitions.jobs.handle(tokenJob, (job) => countServer(definitions, counter, job), { concurrency: 1 })
	return { operations: definitionRoutes(definitions), close: () => counter.close() }
}

const maxPending = 500
type Pending = OutputOf<(typeof toolDefinitionOperations)['pending']>['pending'][number]

function definitionRoutes(definitions: DefinitionContext): BoundOperation[] {
	const { db } = definitions.store
	const list = async (workspaceId: string, id: string) => {
		const server = await findServer(db, workspaceId, id)
		if (!server) throw notFound('MCP server')
		const tools = await listTools(db, workspaceId, id)
		const pins = await listPins(db, workspaceId, id)
		return presentDefinitions(server, tools, pins, await listVersions(db, workspaceId, id))
	}
	return bind(toolDefinitionOperations, {
		list: ({ params, context }) => list(principalIn(context).workspaceId, params.id),
		versions: async ({ params, query, context }) => ({
			versions: await readVersions(db, principalIn(context).workspaceId, params.id, query.name),
		}),
		diff: ({ params, query, context }) => readDiff(db, principalIn(context).workspaceId, params.id, query),
		decide: async ({ params, body, context }) => {
			await decide(definitions, context, params.id, body.decisions)
			return list(principalIn(context).workspaceId, params.id)
		},
		pending: async ({ context }) => {
			const rows = await listUnsettledPins(db, principalIn(context).workspaceId, maxPending)
			return { pending: rows.map(presentPending) }
		},
	})
}

function presentPending(row: Awaited<ReturnType<typeof listUnsettledPins>>[number]): Pending {
	return {
		server: { id: row.server_id, name: row.server_name },
		name: row.name,
		state: row.state as Pending['state'],
		reason: row.reason as Pending['reason'],
		renamed_from: row.renamed_from,
		hash: row.current_hash,
		since: toIso(row.since),
	}
}

type Decision = BodyOf<(typeof toolDefinitionOperations)['decide']>['decisions'][number]

/** Approves or rejects current definitions of a server's tools, all of them or none. */
async function decide(
	definitions: DefinitionContext,
	request: RequestContext,
	serverId: string,
	decisions: readonly Decision[],
): Promise<void> {
	const { audit, clock } = definitions
	const principal = principalIn(request)
	const actor = actorOf(principal)
	await definitions.mutate(async (tx) => {
		const server = await findServer(tx, principal.workspaceId, serverId)
		if (!server) throw notFound('MCP server')
		const by = { decided_at: clock.nowMs(), decided_by: actor.name }
		await upsertPins(tx, await decidedPins(tx, server, decisions, by))
		for (const { name, hash, decision } of decisions) {
			const rejected_at = decision === 'reject' ? by.decided_at : null
			await updateVersion(
				tx,
				{ server_id: server.id, workspace_id: server.workspace_id, name, hash },
				{ rejected_at },
			)
		}
		await evaluateTools(tx, clock, server)
		const approved = decisions.filter(({ decision }) => decision === 'approve')
		await notifyApproved(tx, clock, server, approved)
		await audit.record(tx, {
			...{ workspaceId: principal.workspaceId, actor, requestId: request.requestId },
			action: 'tool-definitions.decide',
			target: { kind: 'mcp_server', id: server.id, name: server.name },
			detail: { decisions },
		})
		await appendChange(tx, 'server', server.id, clock)
	})
}

/** Throws `conflict` if a definition is no longer the current one. */
async function decidedPins(
	tx: DatabaseTransaction,
	server: ServerOfTools,
	decisions: readonly Decision[],
	by: { decided_at: number; decided_by: string },
): Promise<PinRow[]> {
	const tools = await listTools(tx, server.workspace_id, server.id)
	const hashes = new Map(tools.map(({ name, hash }) => [name, hash]))
	const pins = new Map((await listPins(tx, server.workspace_id, server.id)).map((pin) => [pin.name, pin]))
	return decisions.map(({ name, hash, decision }) => {
		const pin = pins.get(name)
		if (!pin || hashes.get(name) !== hash) throw moved(name)
		if (decision === 'approve') return { ...pin, approved_hash: hash, ...by }
		if (pin.approved_hash === hash)
			throw new Problem(
				'conflict',
				`The definition of ${name} is approved; take the tool out of grants instead.`,
			)
		return { ...pin, ...by }
	})
}

function moved(name: string): Problem {
	return new Problem('conflict', `The definition of ${name} has changed meanwhile; check it again.`)
}

/** The token count of a tool's definition; null if it is not counted yet, 0 for a tool that the server does not have. */
export type TokenCounts = (serverId: string, tool: string) => number | null

export async function readTokens(
	db: Queryable,
	workspaceId: string,
	serverIds: readonly string[],
): Promise<TokenCounts> {
	const rows = await listTokens(db, workspaceId, serverIds)
	const counts = new Map(rows.map((row) => [`${row.server_id} ${row.name}`, row.tokens]))
	return (serverId, tool) => {
		const count = counts.get(`${serverId} ${tool}`)
		return count === undefined ? 0 : count
	}
}
