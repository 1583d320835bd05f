import { type FormEvent, useState } from 'react'
import type { Schemas } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Select, Textarea } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { InlineError } from '../../ui/states.tsx'
import type { ServerSummary } from '../servers/queries.ts'
import { readAskedTool } from './asked-tool.ts'
import { useAsk } from './queries.ts'
import { ToolSelect } from './tool-select.tsx'

interface AskFormProps {
	agents: readonly Pick<Schemas['Agent'], 'uuid' | 'name'>[]
	servers: readonly ServerSummary[]
	/** Agent and tool as named in a refusal's link. */
	asked: { agent?: string | undefined; tool?: string | undefined }
	onDone(): void
	onCancel(): void
}

/** Requests that the admins of the workspace allow an agent to use a tool or a server. */
export function AskForm({ agents, servers, asked, onDone, onCancel }: AskFormProps) {
	const named = readAskedTool(asked.tool ?? '', servers)
	const isKnown = agents.some(({ uuid }) => uuid === asked.agent)
	const [agentId, setAgentId] = useState(isKnown ? (asked.agent ?? '') : '')
	const [serverId, setServerId] = useState(named.serverId ?? '')
	const [tool, setTool] = useState(named.tool)
	const [reason, setReason] = useState('')
	const ask = useAsk()
	const submit = (event: FormEvent) => {
		event.preventDefault()
		const why = reason.trim() && { reason: reason.trim() }
		ask.mutate(
			{ agent_uuid: agentId, server: serverId, ...(tool && { tool }), ...why },
			{ onSuccess: onDone },
		)
	}
	return (
		<form onSubmit={submit} aria-label="Request access" className="grid max-w-lg gap-4">
			{asked.agent && !isKnown && (
				<Notice tone="warn">
					The agent of the link is not in this workspace, or was deleted. Choose one, or enter the workspace
					that it is in.
				</Notice>
			)}
			<Field label="Agent">
				{(field) => (
					<Select {...field} required value={agentId} onChange={(event) => setAgentId(event.target.value)}>
						<option value="">Choose an agent</option>
						{agents.map(({ uuid, name }) => (
							<option key={uuid} value={uuid}>
								{name}
							</option>
						))}
					</Select>
				)}
			</Field>
			<Field
				label="Server"
				{...(tool && !serverId && { hint: `The agent named the tool ${tool}, but not its server.` })}
			>
				{(field) => (
					<Select
						{...field}
						required
						value={serverId}
						onChange={(event) => {
							setServerId(event.target.value)
							if (serverId) setTool('')
						}}
					>
						<option value="">Choose a server</option>
						{servers.map(({ id, name }) => (
							<option key={id} value={id}>
								{name}
							</option>
						))}
					</Select>
				)}
			</Field>
			{serverId && <ToolSelect serverId={serverId} value={tool} onChange={setTool} />}
			<Field label="Reason" optional hint="What the agent needs it for. Admins see this.">
				{(field) => (
					<Textarea
						{...field}
						maxLength={500}
						value={reason}
						onChange={(event) => setReason(event.target.value)}
					/>
				)}
			</Field>
			{ask.error && <InlineError error={ask.error} />}
			<div className="flex flex-wrap gap-2">
				<Button type="submit" variant="primary" busy={ask.isPending} disabled={!agentId || !serverId}>
					Request access
				</Button>
				<Button onClick={onCancel}>Cancel</Button>
			</div>
		</form>
	)
}
