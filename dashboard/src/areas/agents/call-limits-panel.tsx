import { FormPanel } from '../../ui/settings-panels.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { isEmpty, noLimits } from '../call-limits/call-limits.ts'
import { CallLimitsFields } from '../call-limits/call-limits-fields.tsx'
import { rolesFor, useCan } from '../identity/session.ts'
import { type Agent, accessOfAgents, useChangeAgent } from './queries.ts'

/** Limits of all calls of an agent, whatever its grants allow. */
export function CallLimitsPanel({ agent }: { agent: Agent }) {
	const saved = agent.call_limits ?? noLimits
	const edited = useDraft(saved, `limits of ${agent.uuid}`)
	const { draft: limits, setDraft: setLimits } = edited
	const canChange = useCan(accessOfAgents)
	const save = useChangeAgent(agent)
	return (
		<FormPanel
			title="Call limits"
			busy={save.isPending}
			edited={edited}
			disabled={!canChange}
			error={save.error}
			onSave={() => save.mutate({ call_limits: isEmpty(limits) ? null : limits })}
		>
			<p className="text-ink-2">
				Of all its tool calls together. Servers and grants may have limits of their own; each of them holds.
				{!canChange && ` To change them you need the role ${rolesFor(accessOfAgents)}.`}
			</p>
			<CallLimitsFields value={limits} disabled={!canChange} onChange={setLimits} />
		</FormPanel>
	)
}
