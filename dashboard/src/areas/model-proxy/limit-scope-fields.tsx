import { useQuery } from '@tanstack/react-query'
import { Field, Input, Select } from '../../ui/field.tsx'
import { allAgentsQuery } from '../agents/queries.ts'
import { connectionsQuery, type ModelLimit } from './queries.ts'

/** Whose calls a limit counts together. */
export interface LimitScope {
	scope: ModelLimit['scope']
	/** '': each of them is counted separately. */
	scope_id: string
}

export const scopeNames: Record<ModelLimit['scope'], string> = {
	workspace: 'Entire workspace',
	agent: 'Agents',
	key: 'Keys',
	connection: 'Connections',
}

interface LimitScopeProps {
	counted: LimitScope
	onChange(counted: LimitScope): void
}

export function LimitScopeFields({ counted, onChange }: LimitScopeProps) {
	return (
		<div className="grid gap-3 sm:grid-cols-2">
			<Field label="Scope">
				{(field) => (
					<Select
						{...field}
						value={counted.scope}
						onChange={(event) => onChange({ scope: event.target.value as ModelLimit['scope'], scope_id: '' })}
					>
						{Object.entries(scopeNames).map(([scope, label]) => (
							<option key={scope} value={scope}>
								{label}
							</option>
						))}
					</Select>
				)}
			</Field>
			{counted.scope !== 'workspace' && <WhichOne counted={counted} onChange={onChange} />}
		</div>
	)
}

function WhichOne({ counted, onChange }: LimitScopeProps) {
	const { data: agents } = useQuery({ ...allAgentsQuery, enabled: counted.scope === 'agent' })
	const { data: connections } = useQuery({ ...connectionsQuery, enabled: counted.scope === 'connection' })
	const known =
		counted.scope === 'agent'
			? (agents?.agents ?? []).map(({ uuid, name }) => ({ value: uuid, name }))
			: (connections?.provider_keys ?? []).map(({ name }) => ({ value: name, name }))
	const set = (scope_id: string) => onChange({ ...counted, scope_id })
	return (
		<Field label={`Which ${counted.scope}`}>
			{(field) =>
				counted.scope === 'key' ? (
					<Input
						{...field}
						placeholder="Per key"
						value={counted.scope_id}
						onChange={(event) => set(event.target.value)}
					/>
				) : (
					<Select {...field} value={counted.scope_id} onChange={(event) => set(event.target.value)}>
						<option value="">Per {counted.scope}</option>
						{known.map(({ value, name }) => (
							<option key={value} value={value}>
								{name}
							</option>
						))}
					</Select>
				)
			}
		</Field>
	)
}
