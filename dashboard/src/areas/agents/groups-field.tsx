import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { Icon } from '../../ui/icons.tsx'
import { allAgentsQuery } from './queries.ts'

const form = /^[a-z0-9]+([._-][a-z0-9]+)*$/

interface GroupsFieldProps {
	groups: readonly string[]
	onChange(groups: string[]): void
	disabled?: boolean
}

/** Groups as removable names, with a field that suggests existing groups. */
export function GroupsField({ groups, onChange, disabled = false }: GroupsFieldProps) {
	const listId = useId()
	const [text, setText] = useState('')
	const { data } = useQuery(allAgentsQuery)
	const inUse = new Set(data?.agents.flatMap((agent) => agent.groups) ?? [])
	const wanted = text.trim()
	const isMalformed = wanted !== '' && !form.test(wanted)
	const add = () => {
		if (wanted === '' || isMalformed) return
		onChange([...new Set([...groups, wanted])])
		setText('')
	}
	const onKey = (event: KeyboardEvent) => {
		if (event.key !== 'Enter') return
		event.preventDefault()
		add()
	}
	return (
		<div className="grid gap-2">
			{groups.length > 0 && (
				<ul aria-label="Groups" className="flex flex-wrap gap-1.5">
					{groups.map((group) => (
						<li
							key={group}
							className="inline-flex h-7 items-center rounded-md border border-line bg-sunken pl-2 font-mono text-xs"
						>
							{group}
							<button
								type="button"
								aria-label={`Remove the group ${group}`}
								disabled={disabled}
								onClick={() => onChange(groups.filter((other) => other !== group))}
								className="ml-1 grid size-6 place-items-center rounded text-ink-3 hover:text-ink disabled:opacity-55"
							>
								<Icon name="close" className="size-3" />
							</button>
						</li>
					))}
				</ul>
			)}
			<Field
				label="Add a group"
				hint="Lower-case letters and digits, as in support or eu.finance"
				error={isMalformed ? 'Lower-case letters and digits; between them . _ or -' : undefined}
			>
				{(field) => (
					<span className="flex gap-2">
						<Input
							{...field}
							list={listId}
							maxLength={64}
							disabled={disabled}
							value={text}
							onChange={(event) => setText(event.target.value)}
							onKeyDown={onKey}
							className="font-mono"
						/>
						<Button icon="plus" disabled={disabled || wanted === '' || isMalformed} onClick={add}>
							Add
						</Button>
					</span>
				)}
			</Field>
			<datalist id={listId}>
				{[...inUse]
					.filter((group) => !groups.includes(group))
					.map((group) => (
						<option key={group} value={group} />
					))}
			</datalist>
		</div>
	)
}
