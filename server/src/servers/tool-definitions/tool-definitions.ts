import { type OutputOf, toolDefinitionOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import { notFound } from '../../platform/errors.ts'
import { type BoundOperation, bind, principalIn } from '../../platform/http/index.ts'
import { decide } from './decide.ts'
import { presentDefinitions, readDiff, readVersions } from './read-versions.ts'
import { countServer, tokenJob } from './tokens/count-job.ts'
import { TokenCounter } from './tokens/count-tokens.ts'
import type { DefinitionContext } from './tool-definition-context.ts'
import {
	findServer,
	listPins,
	listTools,
	listUnsettledPins,
	listVersions,
} from './tool-definition-repository.ts'

interface ToolDefinitions {
	operations: BoundOperation[]
	close(): Promise<void>
}

/** History and approval of tool definitions; what servers offer is taken by `takeTools`. */
export function openToolDefinitions(definitions: DefinitionContext): ToolDefinitions {
	const counter = new TokenCounter()
	definitions.jobs.handle(tokenJob, (job) => countServer(definitions, counter, job), { concurrency: 1 })
	return { operations: definitionRoutes(definitions), close: () => counter.close() }
}

const pendingMax = 500
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
			const rows = await listUnsettledPins(db, principalIn(context).workspaceId, pendingMax)
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
