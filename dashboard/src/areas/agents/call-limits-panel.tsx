import { useState } from 'react'
import { FormPanel } from '../../ui/settings-panels.tsx'
import { isEmpty, noLimits } from '../call-limits/call-limits.ts'
import { CallLimitsFields } from '../call-limits/call-limits-fields.tsx'
import { useCan } from '../identity/session.ts'
import { type Agent, useChangeAgent } from './queries.ts'

/** Limits of all calls of an agent, whatever its grants allow. */
export function CallLimitsPanel({ agent }: { agent: Agent }) {
	const saved = agent.call_limits ?? noLimits
	const [limits, setLimits] = useState(saved)
	const isAdmin = useCan('admin')
	const save = useChangeAgent(agent.uuid)
	const isChanged =
		limits.calls_per_minute !== saved.calls_per_minute || limits.concurrency !== saved.concurrency
	return (
		<FormPanel
			title="Call limits"
			busy={save.isPending}
			disabled={!isAdmin || !isChanged}
			error={save.error}
			onSave={() => save.mutate({ call_limits: isEmpty(limits) ? null : limits })}
		>
			<p className="text-ink-2">
				Of all its tool calls together. Servers and grants may have limits of their own; each of them holds.
				{!isAdmin && ' To change them you need the role admin.'}
			</p>
			<CallLimitsFields value={limits} disabled={!isAdmin} onChange={setLimits} />
		</FormPanel>
	)
}
