import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { baseUrl } from '../../lib/base-url.ts'
import { CodeBlock } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CredentialNameForm } from './credential-name-form.tsx'
import { otlpEnvironment } from './otlp-environment.ts'
import { SecretOnce } from './secret-once.tsx'

export function NewIngestTokenDialog({ open, onClose }: { open: boolean; onClose(): void }) {
	const queries = useQueryClient()
	const create = useMutation({
		mutationFn: (body: { name: string; expires_at: string | null }) =>
			unwrap(api.POST('/v1/ingest-tokens', { body })),
		onSuccess: () => queries.invalidateQueries({ queryKey: ['ingest-tokens'] }),
		gcTime: 0,
	})
	const close = () => {
		onClose()
		create.reset()
	}
	const token = create.data?.token
	return (
		<Dialog
			open={open}
			onClose={close}
			sticky={token !== undefined}
			wide={token !== undefined}
			title={token ? 'New ingest token' : 'Create an ingest token'}
		>
			{token ? (
				<SecretOnce what="token" secret={token} onDone={close}>
					<CodeBlock label="Environment of the exporting service" code={otlpEnvironment(baseUrl, token)} />
				</SecretOnce>
			) : (
				<CredentialNameForm
					action="Create token"
					placeholder="checkout service"
					busy={create.isPending}
					error={create.error}
					onSubmit={create.mutate}
					onCancel={close}
				/>
			)}
		</Dialog>
	)
}
