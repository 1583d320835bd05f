import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Input } from '../../ui/field.tsx'
import { isAttributeCondition } from './attribute-search.ts'

const help = 'As in http.route=/v1/agents, retry.count>=2, name~=part, error.type, or !user.id'

/** Adds a condition on an attribute; several may hold at once. */
export function AttributeField({ onAdd }: { onAdd(condition: string): void }) {
	const [text, setText] = useState('')
	const isGood = isAttributeCondition(text.trim())
	const submit = (event: FormEvent) => {
		event.preventDefault()
		if (!isGood) return
		onAdd(text.trim())
		setText('')
	}
	return (
		<form onSubmit={submit} aria-label="Add an attribute" className="flex gap-2">
			<Input
				aria-label="Attribute condition"
				title={help}
				placeholder="attribute=value"
				value={text}
				aria-invalid={text !== '' && !isGood ? true : undefined}
				onChange={(event) => setText(event.target.value)}
				className="w-52! font-mono text-xs"
			/>
			<Button type="submit" disabled={!isGood}>
				Add
			</Button>
		</form>
	)
}
