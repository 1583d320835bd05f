import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { formatCounted } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { linkClass } from '../../ui/link.ts'
import { Panel } from '../../ui/page.tsx'
import { InlineError } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { ClientTabs } from '../agents/client-tabs.tsx'
import { type Agent, refreshAgents } from '../agents/queries.ts'
import { RoleHint } from '../identity/role-hint.tsx'
import { SecretOnce } from '../identity/secret-once.tsx'
import { useCan } from '../identity/session.ts'
import { refreshServers, type ServerSummary, toolsQuery } from '../servers/queries.ts'
import { register } from '../servers/register-dialog.tsx'
import { nameFrom, UrlField } from '../servers/register-form.tsx'
import { subjectOf } from '../telemetry/describe-span.ts'
import type { useProgress } from './progress.ts'
import { FirstTrace, Step } from './step.tsx'

type Progress = ReturnType<typeof useProgress>

const everyStep = ['servers:write', 'agents:write', 'access:write', 'keys:write'] as const

/** From nothing to the first tool call without leaving the screen: one address to type, three buttons. */
export function ToolPath({ server, agent, isGranted, toolCall }: Progress) {
	const queries = useQueryClient()
	const connect = useMutation({
		mutationFn: () => connectAgent(server, isGranted ? undefined : server, agent),
		onSettled: () => Promise.all([refreshAgents(queries), refreshServers(queries)]),
		gcTime: 0,
	})
	const key = connect.data?.key
	const mayConnect = useCan([
		...(agent ? [] : (['agents:write'] as const)),
		...(isGranted ? [] : (['access:write'] as const)),
		'keys:write',
	])
	const makeKey = (label: string) => (
		<>
			<Button
				variant="primary"
				icon="key"
				disabled={!mayConnect || !server}
				busy={connect.isPending}
				onClick={() => connect.mutate()}
			>
				{label}
			</Button>
			{connect.error && <InlineError error={connect.error} />}
		</>
	)
	return (
		<Panel title="Give an agent tools">
			<RoleHint needs={everyStep} what="register servers and create keys" />
			<ol>
				<Step number={1} title="Register an MCP server" isDone={server !== undefined}>
					{server ? <RegisteredServer server={server} /> : <ServerUrl />}
				</Step>
				<Step number={2} title="Create an agent that may use it" isDone={agent !== undefined && isGranted}>
					<AgentStep agent={agent} server={server} isGranted={isGranted} makeKey={makeKey} />
				</Step>
				<Step number={3} title="Connect a client" isDone={toolCall !== undefined}>
					{key && agent ? (
						<SecretOnce what="key" secret={key} onDone={connect.reset}>
							<ClientTabs agentId={agent.uuid} agentKey={key} />
						</SecretOnce>
					) : (
						agent &&
						isGranted &&
						!toolCall && (
							<>
								<p className="mb-2">A key comes with the finished configuration for your client.</p>
								{makeKey('Create key')}
							</>
						)
					)}
					<FirstTrace what="tool call" traceId={toolCall?.trace_id}>
						{toolCall && <>{subjectOf(toolCall)} was called.</>}
					</FirstTrace>
				</Step>
			</ol>
		</Panel>
	)
}

/** Creates what is missing: an agent, its access to all tools of a server, and a key. Existing objects are reused. */
async function connectAgent(
	named: ServerSummary | undefined,
	granted: ServerSummary | undefined,
	given: Agent | undefined,
): Promise<{ key: string }> {
	const agent =
		given ??
		(await unwrap(
			api.POST('/v1/agents', {
				body: { name: 'First agent', description: named ? `Uses ${named.name}` : '' },
			}),
		))
	if (granted) {
		const everything = { allowed_tools: null, allowed_prompts: null, allowed_resources: null }
		await unwrap(
			api.POST('/v1/mcp/servers/{id}/access', {
				params: { path: { id: granted.id } },
				body: { agent_uuid: agent.uuid, access_mode: 'all', ...everything },
			}),
		)
	}
	const body = { name: 'First key', expires_at: null }
	return unwrap(api.POST('/v1/agents/{id}/keys', { params: { path: { id: agent.uuid } }, body }))
}

/** The only field that must be filled in. */
function ServerUrl() {
	const queries = useQueryClient()
	const [url, setUrl] = useState('')
	const mayRegister = useCan('servers:write')
	const run = useMutation({
		mutationFn: () => register({ url: url.trim(), name: nameFrom(url) || 'first-server' }),
		onSuccess: () => refreshServers(queries),
	})
	const submit = (event: FormEvent) => {
		event.preventDefault()
		run.mutate()
	}
	return (
		<form onSubmit={submit} className="grid gap-3">
			<UrlField url={url} onChange={setUrl} />
			<div className="flex flex-wrap items-center gap-3">
				<Button type="submit" variant="primary" busy={run.isPending} disabled={!mayRegister}>
					{run.isPending ? 'Checking…' : 'Register and check'}
				</Button>
				<Link to="/servers" search={{ register: true }} className={linkClass}>
					A program, credentials or an mcp.json
				</Link>
			</div>
			{run.error && <InlineError error={run.error} />}
			<details>
				<summary className="min-h-6 text-ink-2">No server yet?</summary>
				<div className="mt-2">
					<CodeBlock
						label="Terminal · then register http://127.0.0.1:3001/mcp"
						code="npx @modelcontextprotocol/server-everything streamableHttp"
					/>
				</div>
			</details>
		</form>
	)
}

/** The result of the first step: the server answered, and these are its tools. */
function RegisteredServer({ server }: { server: ServerSummary }) {
	const { data } = useQuery({ ...toolsQuery(server.id), refetchInterval: 2_000 })
	return (
		<>
			<p className="flex flex-wrap items-center gap-2">
				<Link to="/servers/$serverId" params={{ serverId: server.id }} className={linkClass}>
					{server.name}
				</Link>
				<StatusBadge status={server.health_status} />
				{data && <span>{formatCounted(data.tools.length, 'tool')}</span>}
			</p>
			{server.health_error && (
				<p className="mt-1 wrap-anywhere text-bad">
					{server.health_error}{' '}
					<Link
						to="/servers/$serverId"
						params={{ serverId: server.id }}
						search={{ tab: 'credentials' }}
						className={linkClass}
					>
						Set its credentials
					</Link>
				</p>
			)}
		</>
	)
}

interface AgentStepProps extends Pick<Progress, 'agent' | 'server' | 'isGranted'> {
	makeKey(label: string): ReactNode
}

function AgentStep({ agent, server, isGranted, makeKey }: AgentStepProps) {
	const access = (text: string) =>
		agent && (
			<Link to="/agents/$agentId" params={{ agentId: agent.uuid }} className={linkClass}>
				{text}
			</Link>
		)
	if (agent && isGranted) return <p>{access(agent.name)} may call the tools that are granted to it.</p>
	return (
		<div className="grid justify-items-start gap-2">
			<p>
				{agent ? access(agent.name) : 'The identity that calls: a program, or a person’s assistant. It'} gets
				access to all tools of {server ? server.name : 'the server'}; narrow it at any time under Access.
			</p>
			{makeKey(agent ? 'Grant all tools and create key' : 'Create agent and key')}
			{agent && access('Choose the tools')}
		</div>
	)
}
