import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { InlineError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { useCan } from '../identity/session.ts'
import { type Agent, refreshAgents } from './queries.ts'

type Verb = 'pause' | 'resume' | 'stop' | 'start'

const done: Record<Verb, string> = {
	pause: 'Paused: its calls are refused',
	resume: 'Resumed',
	stop: 'Stopped: its calls are refused',
	start: 'Started',
}

/** Suspends or resumes the agent; effective within a second, also for running calls. */
export function StatusActions({ agent }: { agent: Agent }) {
	const queries = useQueryClient()
	const canChange = useCan('agents:write')
	const change = useMutation({
		mutationFn: (verb: Verb) =>
			unwrap(api.POST(`/v1/agents/{id}/${verb}`, { params: { path: { id: agent.uuid } } })),
		onSuccess: (_, verb) => {
			toast(done[verb])
			return refreshAgents(queries)
		},
	})
	const shared = { disabled: !canChange, busy: change.isPending }
	return (
		<>
			{change.error && <InlineError error={change.error} />}
			{agent.status === 'active' && (
				<Button icon="pause" {...shared} onClick={() => change.mutate('pause')}>
					Pause
				</Button>
			)}
			{agent.status === 'paused' && (
				<Button variant="primary" icon="play" {...shared} onClick={() => change.mutate('resume')}>
					Resume
				</Button>
			)}
			{(agent.status === 'stopped' || agent.status === 'error') && (
				<Button variant="primary" icon="play" {...shared} onClick={() => change.mutate('start')}>
					Start
				</Button>
			)}
		</>
	)
}
