import { callColumns } from '../../telemetry/index.ts'
import { isError } from './counted-calls.ts'
import type { Grouping } from './group-repository.ts'

const newest = (column: string) => `argMax(${column}, started_at)`
const servedModel = "if(model != '', model, model_requested)"
/** As in derived sessions. The column is named in full, since what is shown of it has its name. */
const seenServer = "if(spans.server_name != '', spans.server_name, service_name)"
const serverKey = `if(server_id != '', server_id, concat('service:', ${seenServer}))`
const serverName = newest(seenServer)
const isRegistered = "toString(any(server_id) != '')"

/** What calls can be put together by. */
export const groupings = {
	tools: {
		by: { server_key: serverKey, tool: 'tool_name' },
		shown: { server_name: serverName, registered: isRegistered },
		where: "kind = 'tool_call'",
	},
	// Not named resource: the spans have a column of that name, which conditions on attributes read.
	resources: {
		by: { server_key: serverKey, resource_uri: callColumns.get('resource')?.sql ?? '' },
		shown: { server_name: serverName, registered: isRegistered },
		where: "kind = 'mcp' AND mcp_method = 'resources/read'",
		requests: true,
	},
	prompts: {
		by: { server_key: serverKey, prompt: callColumns.get('prompt')?.sql ?? '' },
		shown: { server_name: serverName, registered: isRegistered },
		where: "kind = 'mcp' AND mcp_method = 'prompts/get'",
		requests: true,
	},
	servers: {
		by: { server_key: serverKey },
		shown: { server_name: serverName, registered: isRegistered },
		// A request of kind `mcp` that went to no server is the gateway's own.
		where:
			"(kind = 'tool_call' OR kind = 'mcp' AND (server_id != '' OR spans.server_name != '' OR service_name != 'signalbox'))",
	},
	agents: {
		// One that is not registered is known by the name that its spans give it.
		by: { agent: 'agent_id', seen_agent: "if(agent_id = '', agent_name, '')" },
		shown: { agent_label: newest('agent_name') },
		where: "(agent_id != '' OR agent_name != '')",
	},
	models: {
		by: { provider_key: 'provider', model_key: servedModel },
		shown: {},
		where: "kind = 'model_call'",
	},
	users: { by: { user: 'user_id' }, shown: {}, where: "user_id != ''", many: true },
	clients: { by: { program: 'client' }, shown: {}, where: "client != ''" },
	sessions: {
		by: { session: 'session_id' },
		shown: {
			agent: newest('agent_id'),
			agent_label: newest('agent_name'),
			user: newest('user_id'),
			program: newest('client'),
		},
		where: "session_id != ''",
		many: true,
	},
	errors: {
		by: {
			failure: 'error_type',
			call_kind: 'kind',
			outcome: 'status',
			server_key: serverKey,
			tool: 'tool_name',
			model_key: servedModel,
		},
		shown: {
			server_name: serverName,
			registered: isRegistered,
			message: newest('status_message'),
			trace: `lower(hex(${newest('trace_id')}))`,
		},
		where: isError,
	},
} as const satisfies Record<string, Grouping>

/** What a list may be sorted by, over the sums of its groups; `…_change` looks at the same in both ranges. */
export const sortExpressions = {
	calls: 'calls',
	errors: 'errors',
	error_rate: 'errors / calls',
	p95: 'quantiles_ns[2]',
	tokens: 'input + cache_read + cache_write + output + reasoning',
	cost: 'ifNull(sum(spans.cost_nano_usd), 0)',
	last_seen: 'max(started_at)',
} as const
