import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { InlineError } from '../../ui/states.tsx'
import { HowToCall } from './how-to-call.tsx'
import { PricesField } from './prices-field.tsx'
import { type Connection, connectionsQuery, hasOtherVendors, providerNames } from './queries.ts'
import { SecretFields } from './secret-fields.tsx'
import { emptySecret, secretToSend } from './typed-secret.ts'

/** Hints for providers whose address is specific to the customer; for some the credential contains it. */
const addressHints: Partial<Record<Connection['provider'], string>> = {
	openai_compatible: 'For example https://llm.example.com/v1',
	azure_openai: 'For example https://my-resource.openai.azure.com',
}

export function AddConnectionDialog({ open, onClose }: { open: boolean; onClose(): void }) {
	return (
		<Dialog
			open={open}
			onClose={onClose}
			title="Add a model connection"
			description="The key is encrypted immediately and never shown again."
		>
			<AddConnection onClose={onClose} />
		</Dialog>
	)
}

/** The default name of a connection: `azure_openai` is `azure` in paths. */
function defaultName(provider: Connection['provider']): string {
	return provider.split('_')[0] as string
}

function AddConnection({ onClose }: { onClose(): void }) {
	const queries = useQueryClient()
	const [provider, setProvider] = useState<Connection['provider']>('openai')
	const [name, setName] = useState('')
	const [secret, setSecret] = useState(emptySecret)
	const [baseUrl, setBaseUrl] = useState('')
	const [pricedAs, setPricedAs] = useState<Connection['priced_as']>(null)
	const addressHint = addressHints[provider]
	const needsUrl = addressHint !== undefined
	const hasVendor = hasOtherVendors(provider) && baseUrl !== ''
	const ownName = provider === 'openai_compatible'
	const chosenName = name || (ownName ? '' : defaultName(provider))
	const add = useMutation({
		mutationFn: async () => {
			const given = secretToSend(provider, secret)
			const vendor = hasVendor && pricedAs ? { priced_as: pricedAs } : {}
			const body = { name: chosenName, provider, ...given, ...(baseUrl && { base_url: baseUrl }), ...vendor }
			return unwrap(api.POST('/v1/provider-keys', { body }))
		},
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
						required={ownName}
						placeholder={ownName ? '' : defaultName(provider)}
						pattern="[a-z0-9]+([_\-][a-z0-9]+)*"
						title="Lowercase letters and digits, with - or _ between them"
						maxLength={40}
						value={name}
						onChange={(event) => setName(event.target.value)}
					/>
				)}
			</Field>
			<SecretFields provider={provider} typed={secret} onChange={setSecret} />
			<Field
				label="Base URL"
				optional={!needsUrl}
				hint={addressHint ?? 'Leave empty for the provider’s public API'}
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
			{hasVendor && <PricesField value={pricedAs} onChange={setPricedAs} />}
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
