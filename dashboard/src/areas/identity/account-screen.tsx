import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { browserTimeZone, offsetName, showTimesIn } from '../../lib/time-zone.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { Facts, Page, Panel } from '../../ui/page.tsx'
import { InlineError } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'
import { ConnectedClients } from '../authorizations/connected-clients.tsx'
import { ChangePassword } from './change-password.tsx'
import { LinkedIdentities } from './linked-identities.tsx'
import { meQuery, methodsQuery, useCan, useMe } from './session.ts'
import { SessionList } from './session-list.tsx'

/** Who am I here, how do I sign in, and where am I signed in? */
export function AccountScreen() {
	const { data: methods } = useQuery(methodsQuery)
	return (
		<Page title="Your account" description="Applies to every workspace of this instance.">
			<div className="grid gap-4">
				<Person />
				<TimeZone />
				{methods?.password && <ChangePassword />}
				{methods && <LinkedIdentities providers={methods.providers} />}
				<SessionList />
				{useCan('connections:write') && <ConnectedClients />}
			</div>
		</Page>
	)
}

function Person() {
	const { user, operator, workspaces } = useMe()
	return (
		<Panel title="You">
			<Facts
				facts={[
					['Name', user.name || <span className="text-ink-3">not given</span>],
					[
						'E-mail',
						<span key="email" className="flex flex-wrap items-center gap-x-3 gap-y-1">
							{user.email}
							{user.verified ? <Badge tone="ok">confirmed</Badge> : <Badge tone="warn">not confirmed</Badge>}
						</span>,
					],
					[
						'Workspaces',
						<ul key="workspaces">
							{workspaces.map(({ id, name, role }) => (
								<li key={id}>
									{role} of {name}
								</li>
							))}
						</ul>,
					],
					...(operator ? [['Instance', 'operator'] as const] : []),
				]}
			/>
			{!user.verified && <ConfirmAddress />}
		</Panel>
	)
}

/** The server's answer does not depend on whether it sent an e-mail: it sends at most one per minute. */
function ConfirmAddress() {
	const resend = useMutation({ mutationFn: () => unwrap(api.POST('/auth/verify/resend')) })
	return (
		<div className="mt-4 flex flex-wrap items-center gap-3 border-t border-line pt-4">
			<p className="flex-1 text-ink-2" role="status">
				{resend.isSuccess
					? 'A link is on its way. It works once, for 24 hours.'
					: 'Not confirmed: you have not yet opened a link that was sent to this address, so nothing proves that the mailbox is yours. You can work as usual.'}
			</p>
			<Button busy={resend.isPending} disabled={resend.isSuccess} onClick={() => resend.mutate()}>
				Send the link again
			</Button>
			{resend.error && <InlineError error={resend.error} />}
		</div>
	)
}

const zones = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]

/** The time zone of times in the dashboard and its charts. */
function TimeZone() {
	const queries = useQueryClient()
	const me = useMe()
	const choose = useMutation({
		mutationFn: (time_zone: string | null) => unwrap(api.PATCH('/auth/me', { body: { time_zone } })),
		onSuccess: (user) => {
			showTimesIn(user.time_zone)
			queries.setQueryData(meQuery.queryKey, { ...me, user })
		},
	})
	return (
		<Panel title="Time zone">
			<Field
				label="Show times in"
				hint="For lists, charts and time ranges, wherever you sign in. What is stored does not change."
			>
				{(field) => (
					<Select
						{...field}
						className="max-w-80"
						value={me.user.time_zone ?? ''}
						disabled={choose.isPending}
						onChange={({ target }) => choose.mutate(target.value || null)}
					>
						<option value="">
							{browserTimeZone}, {offsetName(browserTimeZone)} (as this browser)
						</option>
						{zones.map((zone) => (
							<option key={zone} value={zone}>
								{zone.replaceAll('_', ' ')}
							</option>
						))}
					</Select>
				)}
			</Field>
			{choose.error && <InlineError error={choose.error} />}
		</Panel>
	)
}
