import { CopyText } from '../../ui/copy.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { isRegisteredByHand, type OauthDraft } from './oauth-draft.ts'
import type { UpstreamAuth } from './queries.ts'

const registrations = [
	{ value: 'automatic', label: 'Automatic' },
	{ value: 'manual', label: 'Manual' },
] as const satisfies readonly { value: OauthDraft['registration']; label: string }[]

interface ClientFieldsProps {
	draft: OauthDraft
	auth: UpstreamAuth
	disabled: boolean
	onChange(change: Partial<OauthDraft>): void
}

/** How Signalbox is registered at the authorization server. */
export function ClientFields({ draft, auth, disabled, onChange }: ClientFieldsProps) {
	const isManual = isRegisteredByHand(draft)
	return (
		<fieldset className="grid gap-4 rounded-lg border border-line p-3">
			<legend className="px-1 font-medium">How Signalbox is registered there</legend>
			{draft.mode === 'authorization_code' && (
				<Segmented
					label="Registration"
					value={draft.registration}
					options={registrations}
					disabled={disabled}
					onChange={(registration) => onChange({ registration })}
				/>
			)}
			{isManual ? (
				<ManualClient draft={draft} auth={auth} disabled={disabled} onChange={onChange} />
			) : (
				<p className="text-ink-2">
					By the description that Signalbox publishes, or where such is not read, by registration at first
					use.
				</p>
			)}
		</fieldset>
	)
}

function ManualClient({ draft, auth, disabled, onChange }: ClientFieldsProps) {
	const isKept = auth.has_client_secret && auth.client_id === draft.clientId && auth.issuer === draft.issuer
	return (
		<>
			{draft.mode === 'authorization_code' && (
				<p className="text-ink-2">
					Register this redirect address there: <CopyText text={auth.redirect_uri} />
				</p>
			)}
			<Field label="Client id">
				{(field) => (
					<Input
						{...field}
						required
						disabled={disabled}
						value={draft.clientId}
						onChange={(event) => onChange({ clientId: event.target.value })}
						className="font-mono"
					/>
				)}
			</Field>
			<Field
				label="Client secret"
				optional={draft.mode === 'authorization_code'}
				hint={
					isKept
						? 'One is stored. Leave empty to keep it.'
						: 'Encrypted for this authorization server and never shown again.'
				}
			>
				{(field) => (
					<Input
						{...field}
						type="password"
						autoComplete="off"
						required={draft.mode === 'client_credentials' && !isKept}
						disabled={disabled}
						value={draft.clientSecret}
						onChange={(event) => onChange({ clientSecret: event.target.value })}
						className="font-mono"
					/>
				)}
			</Field>
		</>
	)
}
