import { type DemoAgent, demoAgents } from './demo-agents.ts'
import { demoUrl, receiverUrl, releaseHeader } from './demo-hosts.ts'
import { type DemoServer, demoServers } from './demo-servers.ts'
import type { IngressClient } from './ingress-client.ts'

/** The objects of the demo workspace, by the names used in its day. */
export interface DemoObjects {
	agents: Map<DemoAgent['key'], { id: string; key: string }>
	/** By host. */
	servers: Map<string, { id: string; slug: string }>
	budgetId: string
	ingestToken: string
}

const usd = (dollars: number) => String(dollars * 1_000_000_000)
/** Long enough that the budgets do not reset for days. */
const week = { window: 'rolling', rolling_s: 7 * 24 * 3600 }

/** Creates servers, agents with their keys and grants, connections to models, and budgets. */
export async function makeObjects(client: IngressClient): Promise<DemoObjects> {
	const servers: DemoObjects['servers'] = new Map()
	for (const server of demoServers) servers.set(server.host, await makeServer(client, server))
	const agents: DemoObjects['agents'] = new Map()
	for (const agent of demoAgents) agents.set(agent.key, await makeAgent(client, agent, servers))
	for (const [name, path] of [
		['anthropic', ''],
		['openai', '/v1'],
	])
		await client.call('POST', '/v1/provider-keys', {
			...{ name, provider: name, key: 'sk-of-the-demo', base_url: demoUrl('models', path as string) },
		})
	await makeViews(client, servers)
	await makeModelRules(client)
	const budgetId = await makeBudgets(client, agents.get('research')?.id ?? '')
	const { token } = await client.call<{ token: string }>('POST', '/v1/ingest-tokens', {
		name: 'Demo programs',
	})
	return { agents, servers, budgetId, ingestToken: token }
}

function makeServer(
	client: IngressClient,
	{ host, name, description, releases, policy }: DemoServer,
): Promise<{ id: string; slug: string }> {
	return client.call('POST', '/v1/mcp/servers', {
		...{ name, description, url: demoUrl(host, '/mcp'), definition_policy: policy },
		headers: { [releaseHeader]: releases[0] },
	})
}

async function makeAgent(
	client: IngressClient,
	{ name, description, grants }: DemoAgent,
	servers: DemoObjects['servers'],
): Promise<{ id: string; key: string }> {
	const { uuid } = await client.call<{ uuid: string }>('POST', '/v1/agents', { name, description })
	for (const [host, grant] of Object.entries(grants))
		await client.call('POST', `/v1/mcp/servers/${servers.get(host)?.id}/access`, {
			...{ agent_uuid: uuid, approval_wait_ms: 0, ...grant },
		})
	const { key } = await client.call<{ key: string }>('POST', `/v1/agents/${uuid}/keys`, {
		name: `${name}, production`,
	})
	return { id: uuid, key }
}

/** A toolset not yet assigned to anybody, saved views, and a dashboard of them. */
async function makeViews(client: IngressClient, servers: DemoObjects['servers']): Promise<void> {
	await client.call('POST', '/v1/toolsets', {
		name: 'Read the docs and issues',
		description: 'What every assistant may look up',
		tools: [
			{ server_id: servers.get('docs')?.id, tools: ['search_docs', 'fetch_page'] },
			{ server_id: servers.get('issues')?.id, tools: ['list_issues', 'get_issue'] },
		],
		groups: ['assistants'],
	})
	const save = (name: string, read: string, filter: object) =>
		client.call<{ id: string }>('POST', '/v1/questions', { name, read, range: '24h', filter })
	const failures = await save('Failed tool calls', 'errors', { kind: 'tool_call' })
	const models = await save('Model calls', 'models', { kind: 'model_call' })
	const panel = (id: string, title: string, fields: object) => ({
		...{ id, title, question_id: null, read: 'overview', filter: {}, show: 'chart', measure: 'calls' },
		...{ group_by: null, width: 6, height: 1, ...fields },
	})
	await client.call('POST', '/v1/dashboards', {
		name: 'Support assistants',
		description: 'How the assistants of the support desk do',
		panels: [
			panel('summary', 'Summary', { show: 'figures', width: 12 }),
			panel('agents', 'Calls by agent', { group_by: 'agent' }),
			panel('cost', 'Cost by model', { question_id: models.id, measure: 'cost', group_by: 'model' }),
			panel('failures', 'Most frequent failures', { question_id: failures.id, show: 'list', read: 'errors' }),
			panel('tools', 'Slowest tools', { show: 'list', read: 'tools', measure: 'latency' }),
		],
	})
}

/** One budget that the nightly run exceeds, and one that is almost used up; returns the id of the first. */
async function makeBudgets(client: IngressClient, agentId: string): Promise<string> {
	const { id } = await client.call<{ id: string }>('POST', '/v1/budgets', {
		...{ name: 'Nightly research', scope: 'agent', scope_id: agentId, limit: usd(2), mode: 'hard', ...week },
	})
	await client.call('POST', '/v1/budgets', {
		...{ name: 'All models', scope: 'workspace', limit: usd(10), mode: 'soft', ...week },
		thresholds: [80, 100],
	})
	return id
}

/** How model calls are routed, limited, checked and priced; the hook is a dry run. */
async function makeModelRules(client: IngressClient): Promise<void> {
	await client.call('POST', '/v1/routes', {
		...{ name: 'assistants', strategy: 'ordered', retries: 1, first_token_timeout_ms: 10_000 },
		targets: [
			{ connection: 'anthropic', for_models: ['claude-*'] },
			{ connection: 'openai', model: 'gpt-5-mini' },
		],
	})
	// The replay sends a day of calls in seconds, and none of them should have to wait.
	await client.call('POST', '/v1/model-limits', {
		...{ name: 'Each agent', scope: 'agent', requests_per_minute: 5000, tokens_per_minute: 200_000_000 },
	})
	await client.call('POST', '/v1/hooks', {
		...{ name: 'E-mail addresses of customers', action: 'redact', stages: ['request'], label: 'email' },
		pattern: '[a-z.]+@customer[.]example',
	})
	await client.call('POST', '/v1/prices', {
		...{ model: 'gpt-5-mini', provider: 'openai', factor: '9/10', note: 'Ten per cent off, by contract' },
	})
}

/** Destinations of events and audit records. They are created after the replay, so that past events are not sent. */
export async function makeReceivers(client: IngressClient): Promise<void> {
	await client.call('POST', '/v1/webhooks', {
		url: receiverUrl('/on-call'),
		...{ description: 'On-call of the support desk', events: ['alert.*', 'approval.*'] },
	})
	await client.call('POST', '/v1/forwarders', {
		...{ name: 'Audit archive', kind: 'otlp', url: receiverUrl('/otlp'), signals: ['audit'] },
	})
}
