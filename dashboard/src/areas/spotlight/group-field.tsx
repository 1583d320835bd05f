import { type FormEvent, useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Input } from '../../ui/field.tsx'
import { FilterChips } from '../../ui/filter-chips.tsx'
import { maxGroups } from './spotlight-search.ts'

/** Frequently used fields; any attribute's name is possible too. */
const fields = [
	...['agent_name', 'server_name', 'tool', 'provider', 'model', 'model_requested', 'connection', 'user'],
	...['client', 'key', 'kind', 'status', 'error_type', 'service', 'http_status', 'source'],
]

interface GroupFieldProps {
	groups: readonly string[]
	onChange(groups: readonly string[]): void
}

/** The fields and attributes by which rows and the chart are grouped, each with a button that removes it. */
export function GroupField({ groups, onChange }: GroupFieldProps) {
	const [typed, setTyped] = useState('')
	const id = useId()
	const name = typed.trim()
	const submit = (event: FormEvent) => {
		event.preventDefault()
		if (name === '') return
		onChange([...groups, name])
		setTyped('')
	}
	return (
		<div className="flex flex-wrap items-center gap-2">
			{groups.length < maxGroups && (
				<form onSubmit={submit} aria-label="Group by" className="flex min-w-0 gap-2">
					<Input
						aria-label="Group by a field or an attribute"
						placeholder="group by field or attribute"
						list={id}
						maxLength={256}
						value={typed}
						onChange={(event) => setTyped(event.target.value)}
						className="w-64! min-w-0 font-mono text-xs"
					/>
					<datalist id={id}>
						{fields.map((field) => (
							<option key={field} value={field} />
						))}
					</datalist>
					<Button type="submit" disabled={name === ''}>
						Group
					</Button>
				</form>
			)}
			<FilterChips
				label="Groups"
				chips={groups.map((group) => ({
					name: 'by',
					text: group,
					onRemove: () => onChange(groups.filter((other) => other !== group)),
				}))}
			/>
		</div>
	)
}
