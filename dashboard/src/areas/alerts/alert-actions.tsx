import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { serverNowMs } from '../../lib/clock.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { InlineError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { useCan } from '../identity/session.ts'
import { isMuted } from './alert-state.tsx'
import { type Alert, refreshAlerts } from './queries.ts'
import { useChangeAlert } from './use-change-alert.ts'

const hours = [1, 8, 24, 168] as const

/** Muting and testing. */
export function AlertActions({ alert }: { alert: Alert }) {
	const canChange = useCan('alerts:write')
	const change = useChangeAlert(alert)
	const mute = (forHours: number) =>
		change.mutate({ muted_until: new Date(serverNowMs() + forHours * 3_600_000).toISOString() })
	return (
		<>
			{isMuted(alert) ? (
				<Button icon="play" disabled={!canChange} onClick={() => change.mutate({ muted_until: null })}>
					Unmute
				</Button>
			) : (
				<Menu
					trigger={
						<Button icon="pause" disabled={!canChange}>
							Mute
							<Icon name="down" className="size-3.5 text-ink-3" />
						</Button>
					}
				>
					{hours.map((count) => (
						<MenuItem key={count} onSelect={() => mute(count)}>
							For {count === 168 ? 'a week' : count === 1 ? 'an hour' : `${count} hours`}
						</MenuItem>
					))}
				</Menu>
			)}
			<TestButton id={alert.id} />
			{change.error && <InlineError error={change.error} />}
		</>
	)
}

function TestButton({ id }: { id: string }) {
	const queries = useQueryClient()
	const test = useMutation({
		mutationFn: () => unwrap(api.POST('/v1/alerts/{id}/test', { params: { path: { id } } })),
		onSuccess: ({ text }) => {
			toast(`Test sent: ${text}`)
			return refreshAlerts(queries)
		},
	})
	return (
		<>
			<Button
				icon="send"
				busy={test.isPending}
				disabled={!useCan('alerts:write')}
				onClick={() => test.mutate()}
			>
				Test
			</Button>
			{test.error && <InlineError error={test.error} />}
		</>
	)
}
