import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { InlineError } from '../../ui/states.tsx'
import { allAgentsQuery } from '../agents/queries.ts'
import { RoleHint } from '../identity/role-hint.tsx'
import { type Needed, useCan, useMe } from '../identity/session.ts'
import type { Server } from '../servers/queries.ts'
import type { UpstreamAuth } from './queries.ts'

interface ConnectFormProps {
	server: Server
	auth: UpstreamAuth
	/** From the link: for which agent, and with which scopes. */
	agentId: string | undefined
	scope: string | undefined
}

/** Shows where the person will be sent and why, and goes there after a click. */
export function ConnectForm({ server, auth, agentId, scope }: ConnectFormProps) {
	const [agent, setAgent] = useState(agentId ?? '')
	const needed: Needed = auth.owner === 'user' ? 'connections:write' : ['connections:write', 'servers:write']
	const mayConnect = useCan(needed)
	const { user } = useMe()
	const begin = useMutation({
		mutationFn: () =>
			unwrap(
				api.POST('/v1/mcp/servers/{id}/oauth/authorize', {
					params: { path: { id: server.id } },
					body: { ...(auth.owner === 'agent' && { agent_uuid: agent }), ...(scope && { scope }) },
				}),
			),
		onSuccess: ({ url }) => location.assign(url),
	})
	return (
		<div className="grid gap-4">
			<p className="text-ink-2">
				You are led to{' '}
				{auth.issuer ? (
					<strong className="break-all font-medium text-ink">{URL.parse(auth.issuer)?.host}</strong>
				) : (
					<>
						the authorization server that{' '}
						<strong className="break-all font-medium text-ink">{new URL(server.endpoint_url).host}</strong>{' '}
						names
					</>
				)}
				. There you sign in, and agree that Signalbox uses {server.name} {forWhom(auth.owner, user.email)}.
			</p>
			{scope && (
				<p className="text-ink-2">
					It asks for the scopes <span className="font-mono text-xs">{scope}</span>.
				</p>
			)}
			{auth.owner === 'agent' && <AgentField agent={agent} onChange={setAgent} disabled={!mayConnect} />}
			<RoleHint needs={needed} what="connect this server" />
			<div>
				<Button
					variant="primary"
					busy={begin.isPending}
					disabled={!mayConnect || (auth.owner === 'agent' && !agent)}
					onClick={() => begin.mutate()}
				>
					Continue
				</Button>
			</div>
			{begin.error && <InlineError error={begin.error} />}
		</div>
	)
}

function forWhom(owner: UpstreamAuth['owner'], email: string): string {
	if (owner === 'user') return `for you, ${email}, and for nobody else`
	if (owner === 'agent') return 'for one agent, with the account that you sign in with there'
	return 'for all agents of the workspace, with the account that you sign in with there'
}

interface AgentFieldProps {
	agent: string
	disabled: boolean
	onChange(agent: string): void
}

function AgentField({ agent, disabled, onChange }: AgentFieldProps) {
	const { data } = useQuery(allAgentsQuery)
	return (
		<Field label="For the agent">
			{(field) => (
				<Select
					{...field}
					className="max-w-xs"
					disabled={disabled}
					value={agent}
					onChange={(event) => onChange(event.target.value)}
				>
					<option value="">Choose an agent…</option>
					{data?.agents.map(({ uuid, name }) => (
						<option key={uuid} value={uuid}>
							{name}
						</option>
					))}
				</Select>
			)}
		</Field>
	)
}
