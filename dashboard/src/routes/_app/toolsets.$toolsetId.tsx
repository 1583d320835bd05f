import { createFileRoute } from '@tanstack/react-router'
import { ToolsetScreen } from '../../areas/toolsets/toolset-screen.tsx'

export const Route = createFileRoute('/_app/toolsets/$toolsetId')({ component: ToolsetScreen })
