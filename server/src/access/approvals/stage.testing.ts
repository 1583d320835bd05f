import { startTestApp, type TestApp } from '../../accounts/identity/testing.ts'
import { type Clock, systemClock } from '../../platform/clock.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import { newId } from '../../platform/ids.ts'
import { type Approvals, type CallToApprove, openApprovals } from './approvals.ts'

/** Approvals behind the real ingress, with one agent and one server in the workspace of the owner. */
export interface ApprovalStage extends TestApp {
	approvals: Approvals
	/** A call of the agent with these arguments, which identify it. */
	callOf(values: object, more?: Partial<CallToApprove>): CallToApprove
	/** Decides as the owner. */
	decide(id: string, verb: 'approve' | 'deny', body?: object): ReturnType<TestApp['request']>
}

export async function startApprovals(
	store: ControlStore,
	clock: Clock = systemClock,
	masterKey?: Buffer,
): Promise<ApprovalStage> {
	let approvals: Approvals | undefined
	const app = await startTestApp(store, {
		clock,
		...(masterKey && { masterKey }),
		open: (core) => {
			approvals = openApprovals(core)
			return { operations: approvals.operations }
		},
	})
	const { workspaceId } = app.owner
	const { agentId, serverId } = await addTargets(store, workspaceId, clock.nowMs())
	return Object.assign(app, {
		approvals: approvals as Approvals,
		callOf: (values: object, more: Partial<CallToApprove> = {}) => ({
			...newCall({ workspaceId, agentId, serverId }, values),
			...more,
		}),
		decide: (id: string, verb: string, body: object = {}) =>
			app.request('POST', `/v1/approvals/${id}/${verb}`, { token: app.owner.token, body }),
	})
}

export function newCall(
	ids: { workspaceId: string; agentId: string; serverId: string },
	values: object,
): CallToApprove {
	const scopes = new Set(['mcp:invoke'] as const)
	const key = { kind: 'agent_key' as const, keyId: 'key', name: 'key', scopes }
	return {
		...ids,
		...{ tool: 'run', arguments: values, credentialId: 'key', approver: 'workspace' },
		principal: { ...key, workspaceId: ids.workspaceId, agentId: ids.agentId },
	}
}

export async function addTargets(store: ControlStore, workspace_id: string, nowMs: number) {
	const times = { created_at: nowMs, updated_at: nowMs }
	const [agentId, serverId] = [newId(nowMs), newId(nowMs)]
	const agent = { id: agentId, workspace_id, name: `A ${agentId}`, description: '', status: 'active' }
	await store.db
		.insertInto('agents')
		.values({ ...agent, model_access: '{"mode":"all"}', ...times })
		.execute()
	const server = {
		id: serverId,
		workspace_id,
		name: `S ${serverId}`,
		slug: serverId.slice(-12),
		description: '',
	}
	const target = { endpoint_url: 'http://127.0.0.1:9', transport_type: 'http', hosting_mode: 'remote' }
	const health = { health_status: 'healthy', failures: 0, last_health_check: nowMs, status: 'active' }
	const rest = {
		command: '',
		args: '[]',
		configuration: '{}',
		allowed_hosts: '[]',
		definition_policy: 'allow',
	}
	await store.db
		.insertInto('mcp_servers')
		.values({ ...server, ...target, ...health, ...rest, ...times })
		.execute()
	return { agentId, serverId }
}
