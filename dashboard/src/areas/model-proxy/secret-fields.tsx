import { Field, Input, Textarea } from '../../ui/field.tsx'
import type { Connection } from './queries.ts'
import type { TypedSecret } from './typed-secret.ts'

interface Props {
	provider: Connection['provider']
	typed: TypedSecret
	onChange(typed: TypedSecret): void
}

interface FieldOf {
	name: keyof TypedSecret
	label: string
	hint?: string
	kind: 'secret' | 'text' | 'document'
	optional?: true
}

const keyField: readonly FieldOf[] = [{ name: 'key', label: 'Provider key', kind: 'secret' }]
const fields: Partial<Record<Connection['provider'], readonly FieldOf[]>> = {
	bedrock: [
		{ name: 'accessKeyId', label: 'Access key ID', kind: 'text' },
		{ name: 'secretAccessKey', label: 'Secret access key', kind: 'secret' },
		{ name: 'sessionToken', label: 'Session token', kind: 'secret', optional: true },
		{ name: 'region', label: 'Region', kind: 'text', hint: 'For example eu-central-1' },
	],
	vertex: [
		{ name: 'serviceAccount', label: 'Service account', kind: 'document', hint: 'The JSON of its key file' },
		{ name: 'project', label: 'Project', kind: 'text' },
		{ name: 'location', label: 'Location', kind: 'text', hint: 'For example europe-west4 or global' },
	],
}

/** The fields of the secret that a provider needs. */
export function SecretFields({ provider, typed, onChange }: Props) {
	return (fields[provider] ?? keyField).map(({ name, label, hint, kind, optional }) => (
		<Field key={name} label={label} optional={optional === true} {...(hint && { hint })}>
			{(field) => {
				const shared = {
					...field,
					required: !optional,
					autoComplete: 'off',
					value: typed[name],
					className: 'font-mono',
				}
				const change = (value: string) => onChange({ ...typed, [name]: value })
				if (kind === 'document')
					return <Textarea {...shared} rows={5} onChange={(event) => change(event.target.value)} />
				const type = kind === 'secret' ? 'password' : 'text'
				return <Input {...shared} type={type} onChange={(event) => change(event.target.value)} />
			}}
		</Field>
	))
}
