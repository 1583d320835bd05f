import { createFileRoute } from '@tanstack/react-router'
import { DocsScreen } from '../../areas/docs/docs-screen.tsx'

export const Route = createFileRoute('/_app/docs/$')({ component: DocsScreen })
