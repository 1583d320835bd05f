import { isDerived } from './derived-sessions.ts'
import type { GroupSums } from './group-repository.ts'

/** What names a group, for each list: the columns of `breakdowns.ts` as the API shows them. */

const labelOf = (text: string | undefined) => (text === undefined || text === '' ? null : text)
const isRegistered = (sums: GroupSums) => sums.registered === '1' || sums.registered === 'true'
const serverOf = (sums: GroupSums) => ({
	id: isRegistered(sums) ? labelOf(sums.server_key) : null,
	name: labelOf(sums.server_name),
})
const agentOf = (sums: GroupSums) => ({ id: labelOf(sums.agent), name: labelOf(sums.agent_label) })

export const presentGroup = {
	tools: (sums: GroupSums) => ({ server: serverOf(sums), tool: sums.tool ?? '' }),
	resources: (sums: GroupSums) => ({ server: serverOf(sums), resource: sums.resource_uri ?? '' }),
	prompts: (sums: GroupSums) => ({ server: serverOf(sums), prompt: sums.prompt ?? '' }),
	servers: (sums: GroupSums) => ({ server: serverOf(sums), registered: isRegistered(sums) }),
	agents: (sums: GroupSums) => ({ agent: agentOf(sums) }),
	models: (sums: GroupSums) => ({ provider: labelOf(sums.provider_key), model: labelOf(sums.model_key) }),
	users: (sums: GroupSums) => ({ user_id: labelOf(sums.user) }),
	clients: (sums: GroupSums) => ({ client: labelOf(sums.program) }),
	sessions: (sums: GroupSums) => ({
		session_id: sums.session ?? '',
		is_derived: isDerived(sums.session),
		agent: agentOf(sums),
		user_id: labelOf(sums.user),
		client: labelOf(sums.program),
	}),
	errors: (sums: GroupSums) => ({
		error_type: labelOf(sums.failure),
		kind: sums.call_kind ?? '',
		status: sums.outcome ?? '',
		server: serverOf(sums),
		tool: labelOf(sums.tool),
		model: labelOf(sums.model_key),
		message: sums.message ?? '',
		trace_id: sums.trace ?? '',
	}),
}
