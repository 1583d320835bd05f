import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { SecretOnce } from '../identity/secret-once.tsx'
import { SigningSecret } from '../identity/signing-secret.tsx'
import { HookForm } from './hook-form.tsx'
import { HookResults } from './hook-results.tsx'
import { type Hook, refreshHooks } from './queries.ts'

type Tab = 'results' | 'settings'

interface HookDialogProps {
	/** Null for a new one. */
	hook: Hook | null
	canChange: boolean
	onClose(): void
}

/** Creates a hook, or shows what one did and changes it. A new signing secret is shown once, before the dialog closes. */
export function HookDialog({ hook, canChange, onClose }: HookDialogProps) {
	const [secret, setSecret] = useState<string | null>(null)
	const [tab, setTab] = useState<Tab>('results')
	const form = (
		<HookForm hook={hook} canChange={canChange} onSecret={setSecret} onSaved={onClose} onCancel={onClose} />
	)
	if (secret)
		return (
			<Dialog open onClose={onClose} sticky title="Hook signing secret">
				<SecretOnce what="secret" secret={secret} onDone={onClose}>
					<p className="text-ink-2">
						Your service checks with it that a request comes from here: any library of Standard Webhooks does.
					</p>
				</SecretOnce>
			</Dialog>
		)
	if (!hook)
		return (
			<Dialog
				open
				wide
				onClose={onClose}
				title="Create a hook"
				description="It applies to model calls that start from now on."
			>
				{form}
			</Dialog>
		)
	return (
		<Dialog open wide onClose={onClose} title={hook.name}>
			<Tabs<Tab>
				label="Hook"
				value={tab}
				onChange={setTab}
				tabs={[
					{ value: 'results', label: 'What it did', content: <HookResults hook={hook} /> },
					{
						value: 'settings',
						label: 'Settings',
						content: (
							<>
								{form}
								{hook.action === 'webhook' && (
									<HookSecret hook={hook} disabled={!canChange} onSecret={setSecret} />
								)}
							</>
						),
					},
				]}
			/>
		</Dialog>
	)
}

interface HookSecretProps {
	hook: Hook
	disabled: boolean
	onSecret(secret: string): void
}

function HookSecret({ hook, disabled, onSecret }: HookSecretProps) {
	const queries = useQueryClient()
	const rotate = async () => {
		const path = { id: hook.id }
		const { secret } = await unwrap(api.POST('/v1/hooks/{id}/rotate-secret', { params: { path } }))
		await refreshHooks(queries)
		if (secret) onSecret(secret)
	}
	return (
		<section aria-label="Signing secret" className="mt-5 border-t border-line pt-4">
			<SigningSecret oldExpiresAt={hook.old_secret_expires_at} disabled={disabled} rotate={rotate} />
		</section>
	)
}
