import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type Schemas, unwrap } from '../../api.ts'
import { showDirections } from '../../lib/show-hidden.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { InlineError } from '../../ui/states.tsx'
import { allAgentsQuery } from '../agents/queries.ts'
import { useMe } from '../identity/session.ts'
import { SignInLayout } from '../identity/sign-in-layout.tsx'
import { forgetAskedRequest } from './asked-request.ts'

type Consent = Schemas['Consent']

/** Shows the client, where its answer goes, what it may do and as which agent. Nothing is granted before the button is pressed. */
export function ConsentForm({ request, consent }: { request: string; consent: Consent }) {
	const [agent, setAgent] = useState('')
	const { user, workspace } = useMe()
	const decide = useMutation({
		mutationFn: (decision: 'approve' | 'deny') =>
			unwrap(
				api.POST('/v1/authorizations/decide', {
					body: { request, decision, ...(agent && decision === 'approve' && { agent_uuid: agent }) },
				}),
			),
		onSuccess: ({ redirect_url }) => {
			forgetAskedRequest()
			location.assign(redirect_url)
		},
	})
	const { client, scopes, server } = consent
	return (
		<SignInLayout
			title={`Connect ${showDirections(client.name)}?`}
			text={
				<>
					It wants to use{' '}
					{server ? (
						<strong className="font-medium text-ink">{showDirections(server.name)}</strong>
					) : (
						'all servers of the agent'
					)}{' '}
					in the workspace <strong className="font-medium text-ink">{showDirections(workspace.name)}</strong>{' '}
					for you, {user.email}.
				</>
			}
		>
			<div className="grid gap-4">
				<ul className="list-disc pl-5 text-ink-2">
					{scopes.map(({ scope, description }) => (
						<li key={scope}>{description}</li>
					))}
				</ul>
				<WhoAsks consent={consent} />
				<AgentChoice consent={consent} agent={agent} onChange={setAgent} />
				<div className="grid grid-cols-2 gap-2">
					<Button busy={decide.isPending} onClick={() => decide.mutate('deny')}>
						Deny
					</Button>
					<Button variant="primary" busy={decide.isPending} onClick={() => decide.mutate('approve')}>
						Allow
					</Button>
				</div>
				{decide.error && <InlineError error={decide.error} />}
			</div>
		</SignInLayout>
	)
}

function WhoAsks({ consent: { client, redirect_host, is_local } }: { consent: Consent }) {
	return (
		<Notice
			tone="warn"
			title={client.verified_host ? `Published by ${client.verified_host}` : 'Nobody vouches for this name'}
		>
			The answer goes to{' '}
			<strong className="break-words font-medium">
				{is_local ? 'a program on this computer' : redirect_host}
			</strong>
			. Allow it only if you have just started this yourself.
		</Notice>
	)
}

function AgentChoice({
	consent: { own_agent, may_choose_agent },
	agent,
	onChange,
}: {
	consent: Consent
	agent: string
	onChange: (agent: string) => void
}) {
	const { data } = useQuery({ ...allAgentsQuery, enabled: may_choose_agent })
	const own = own_agent?.name ?? 'an agent of your own, made now'
	const isNew = own_agent === null && agent === ''
	const may = isNew
		? 'A new agent has no grants: it may use no tool until somebody grants it one.'
		: 'It can use everything granted to this agent.'
	if (!may_choose_agent)
		return (
			<p className="text-ink-2">
				It acts as <strong className="font-medium text-ink">{own}</strong>. {may}
			</p>
		)
	return (
		<Field label="It acts as" hint={may}>
			{(field) => (
				<Select {...field} value={agent} onChange={(event) => onChange(event.target.value)}>
					<option value="">{own}</option>
					{data?.agents
						.filter(({ uuid }) => uuid !== own_agent?.uuid)
						.map(({ uuid, name }) => (
							<option key={uuid} value={uuid}>
								{name}
							</option>
						))}
				</Select>
			)}
		</Field>
	)
}
