import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { InlineError } from '../../ui/states.tsx'
import { useCan } from '../identity/session.ts'
import { ClientFields } from './client-fields.tsx'
import { fromOauthDraft, isRegisteredByHand, type OauthDraft, toOauthDraft } from './oauth-draft.ts'
import { type UpstreamAuth, useCredentials } from './queries.ts'

const modes = [
	{ value: 'authorization_code', label: 'Authorization code' },
	{ value: 'client_credentials', label: 'Client credentials' },
] as const satisfies readonly { value: OauthDraft['mode']; label: string }[]

const owners: Record<OauthDraft['owner'], { label: string; text: string }> = {
	workspace: { label: 'The workspace', text: 'One token for all calls; an admin consents once.' },
	agent: { label: 'Each agent', text: 'One token for each agent; an admin consents for it.' },
	user: {
		label: 'Each person',
		text: 'One token for each person, who consents themselves. Calls with an agent key name no person and are refused.',
	},
}

interface OauthFormProps {
	serverId: string
	auth: UpstreamAuth
	hasHeaders: boolean
}

/** How Signalbox gets tokens for a server. */
export function OauthForm({ serverId, auth, hasHeaders }: OauthFormProps) {
	const [saved] = useState(() => toOauthDraft(auth))
	const [draft, setDraft] = useState(saved)
	const canChange = useCan('servers:write')
	const { setOauth } = useCredentials(serverId)
	const isChanged = auth.mode === 'none' || JSON.stringify(draft) !== JSON.stringify(saved)
	const set = (change: Partial<OauthDraft>) => setDraft({ ...draft, ...change })
	const submit = (event: FormEvent) => {
		event.preventDefault()
		setOauth.mutate(fromOauthDraft(draft))
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<Segmented
				label="Who gets the token"
				value={draft.mode}
				options={modes}
				disabled={!canChange}
				onChange={(mode) => set({ mode })}
			/>
			{draft.mode === 'authorization_code' ? (
				<Field label="The token belongs to" hint={owners[draft.owner].text}>
					{(field) => (
						<Select
							{...field}
							disabled={!canChange}
							value={draft.owner}
							onChange={(event) => set({ owner: event.target.value as OauthDraft['owner'] })}
						>
							{Object.entries(owners).map(([owner, { label }]) => (
								<option key={owner} value={owner}>
									{label}
								</option>
							))}
						</Select>
					)}
				</Field>
			) : (
				<p className="text-ink-2">
					One token for the workspace, obtained with a client ID and secret (client credentials). Nobody has
					to consent.
				</p>
			)}
			<Field
				label="Authorization server"
				optional={!isRegisteredByHand(draft)}
				hint="Issuer URL. Leave empty to use the one that the MCP server names."
			>
				{(field) => (
					<Input
						{...field}
						type="url"
						placeholder="https://"
						required={draft.mode === 'client_credentials' || draft.clientSecret !== ''}
						disabled={!canChange}
						value={draft.issuer}
						onChange={(event) => set({ issuer: event.target.value })}
						className="font-mono"
					/>
				)}
			</Field>
			<ClientFields draft={draft} auth={auth} disabled={!canChange} onChange={set} />
			<Field label="Scopes" optional hint="Space-separated. Leave empty to use what the MCP server asks for.">
				{(field) => (
					<Input
						{...field}
						disabled={!canChange}
						value={draft.scope}
						onChange={(event) => set({ scope: event.target.value })}
						className="font-mono"
					/>
				)}
			</Field>
			{hasHeaders && (
				<Notice tone="idle">
					The stored headers go along too; the token takes the place of Authorization.
				</Notice>
			)}
			{auth.mode !== 'none' && isChanged && (
				<Notice tone="warn">
					Other settings forget the tokens that there are: they were of another client.
				</Notice>
			)}
			{setOauth.error && <InlineError error={setOauth.error} />}
			<Button
				type="submit"
				variant="primary"
				className="justify-self-start"
				busy={setOauth.isPending}
				disabled={!canChange || !isChanged}
			>
				Save OAuth
			</Button>
		</form>
	)
}
