import { defaultKeyScopes, type Scope, scopes } from '@signalbox/contract/access'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, take } from '../../api.ts'
import { CheckLine } from '../../ui/controls.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CredentialNameForm } from './credential-name-form.tsx'
import { SecretOnce } from './secret-once.tsx'

export function NewKeyDialog({ open, onClose }: { open: boolean; onClose(): void }) {
	const queries = useQueryClient()
	const [chosen, setChosen] = useState<ReadonlySet<Scope>>(new Set(defaultKeyScopes))
	const create = useMutation({
		mutationFn: (input: { name: string; expires_at: string | null }) =>
			take(api.POST('/v1/keys', { body: { ...input, scopes: [...chosen] } })),
		onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] }),
		gcTime: 0,
	})
	const close = () => {
		onClose()
		create.reset()
		setChosen(new Set(defaultKeyScopes))
	}
	const key = create.data?.key
	return (
		<Dialog
			open={open}
			onClose={close}
			sticky={key !== undefined}
			wide
			title={key ? 'New platform key' : 'Create a platform key'}
		>
			{key ? (
				<SecretOnce what="key" secret={key} onDone={close}>
					<CodeBlock
						label="Try it"
						code={`curl ${location.origin}/v1/mcp/servers \\\n  -H "x-service-api-key: ${key}"`}
					/>
				</SecretOnce>
			) : (
				<CredentialNameForm
					action="Create key"
					placeholder="deploy pipeline"
					busy={create.isPending}
					error={create.error}
					onSubmit={create.mutate}
					onCancel={close}
				>
					<ScopeChoice chosen={chosen} onChange={setChosen} />
				</CredentialNameForm>
			)}
		</Dialog>
	)
}

function ScopeChoice({
	chosen,
	onChange,
}: {
	chosen: ReadonlySet<Scope>
	onChange(chosen: ReadonlySet<Scope>): void
}) {
	const set = (scope: Scope, on: boolean) => {
		const next = new Set(chosen)
		if (on) next.add(scope)
		else next.delete(scope)
		onChange(next)
	}
	return (
		<fieldset>
			<legend className="mb-1 font-medium">What it may do</legend>
			<div className="grid max-h-56 grid-cols-1 overflow-y-auto rounded-lg border border-line p-1.5 sm:grid-cols-2">
				{scopes.map((scope) => (
					<CheckLine key={scope} label={scope} checked={chosen.has(scope)} onChange={(on) => set(scope, on)}>
						<span className="font-mono text-xs">{scope}</span>
					</CheckLine>
				))}
			</div>
		</fieldset>
	)
}
