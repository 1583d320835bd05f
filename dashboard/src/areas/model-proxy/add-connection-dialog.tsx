import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, take } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { InlineError } from '../../ui/states.tsx'
import { clientBaseUrl } from './client-base-url.ts'
import { type Connection, connectionsQuery, providerNames } from './queries.ts'

export function AddConnectionDialog({ open, onClose }: { open: boolean; onClose(): void }) {
	return (
		<Dialog
			open={open}
			onClose={onClose}
			title="Add a model connection"
			description="The key is sealed at once, and never shown again."
		>
			<AddConnection onClose={onClose} />
		</Dialog>
	)
}

function AddConnection({ onClose }: { onClose(): void }) {
	const queries = useQueryClient()
	const [provider, setProvider] = useState<Connection['provider']>('openai')
	const [name, setName] = useState('')
	const [key, setKey] = useState('')
	const [baseUrl, setBaseUrl] = useState('')
	const needsUrl = provider === 'openai_compatible'
	const chosenName = name || (needsUrl ? '' : provider)
	const add = useMutation({
		mutationFn: () =>
			take(
				api.POST('/v1/provider-keys', {
					body: { name: chosenName, provider, key, ...(baseUrl && { base_url: baseUrl }) },
				}),
			),
		onSuccess: () => queries.invalidateQueries({ queryKey: connectionsQuery.queryKey }),
	})
	const submit = (event: FormEvent) => {
		event.preventDefault()
		add.mutate()
	}
	if (add.data) return <HowToCall connection={add.data} onClose={onClose} />
	return (
		<form onSubmit={submit} className="grid gap-4">
			<Field label="Provider">
				{(field) => (
					<Select
						{...field}
						value={provider}
						onChange={(event) => setProvider(event.target.value as Connection['provider'])}
					>
						{Object.entries(providerNames).map(([value, label]) => (
							<option key={value} value={value}>
								{label}
							</option>
						))}
					</Select>
				)}
			</Field>
			<Field label="Name" hint={`Clients call /proxy/${chosenName || 'name'}/…`}>
				{(field) => (
					<Input
						{...field}
						required={needsUrl}
						placeholder={needsUrl ? '' : provider}
						pattern="[a-z0-9]+([_\-][a-z0-9]+)*"
						title="Small letters and digits, with - or _ between them"
						maxLength={40}
						value={name}
						onChange={(event) => setName(event.target.value)}
					/>
				)}
			</Field>
			<Field label="Provider key">
				{(field) => (
					<Input
						{...field}
						type="password"
						required
						autoComplete="off"
						value={key}
						onChange={(event) => setKey(event.target.value)}
						className="font-mono"
					/>
				)}
			</Field>
			<Field
				label="Base URL"
				optional={!needsUrl}
				hint={needsUrl ? 'As in https://llm.example.com/v1' : 'The provider’s public API when empty'}
			>
				{(field) => (
					<Input
						{...field}
						type="url"
						required={needsUrl}
						value={baseUrl}
						onChange={(event) => setBaseUrl(event.target.value)}
						className="font-mono"
					/>
				)}
			</Field>
			{add.error && <InlineError error={add.error} />}
			<DialogActions>
				<Button onClick={onClose}>Cancel</Button>
				<Button type="submit" variant="primary" busy={add.isPending}>
					Add connection
				</Button>
			</DialogActions>
		</form>
	)
}

function HowToCall({ connection, onClose }: { connection: Connection; onClose(): void }) {
	const prefix = connection.provider === 'anthropic' ? 'ANTHROPIC' : 'OPENAI'
	return (
		<>
			<p className="mb-3 text-ink-2">
				{connection.name} is ready. Give any client these two, with an agent’s key or a platform key:
			</p>
			<CodeBlock
				label="Environment"
				code={`${prefix}_BASE_URL=${clientBaseUrl(connection)}\n${prefix}_API_KEY=sk_service_…`}
			/>
			<DialogActions>
				<Button variant="primary" onClick={onClose}>
					Done
				</Button>
			</DialogActions>
		</>
	)
}
