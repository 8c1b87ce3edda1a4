/** Icons of 16 px, drawn with the current colour. They never stand alone: a word or a label is beside them. */
const paths = {
  gate: 'M3 15V7a5 5 0 0 1 10 0v8M3 15h10M6.5 15V9.5a1.5 1.5 0 0 1 3 0V15',
  home: 'M2.5 7.5 8 3l5.5 4.5M4 6.5V13h3V9.5h2V13h3V6.5',
  shield: 'M8 2 3 4v4c0 3 2 5 5 6 3-1 5-3 5-6V4L8 2ZM8 6v2.5M8 10.5v.2',
  robot: 'M4 6.5h8v6H4zM8 4v2.5M6.5 9v.5M9.5 9v.5M2.5 9v2M13.5 9v2',
  box: 'M8 2 3 4.5v7L8 14l5-2.5v-7L8 2ZM3 4.5 8 7l5-2.5M8 7v7',
  bug: 'M5 7a3 3 0 0 1 6 0v3a3 3 0 0 1-6 0V7ZM6 4.5 5 3M10 4.5 11 3M2.5 6.5 5 8M13.5 6.5 11 8M2.5 12 5 10.5M13.5 12 11 10.5',
  wall: 'M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M8 3.5v3M5.5 6.5v3M10.5 6.5v3M8 9.5v3',
  book: 'M4 2.5h8.5v11H4a1.5 1.5 0 0 1-1.5-1.5V4A1.5 1.5 0 0 1 4 2.5ZM2.5 12A1.5 1.5 0 0 1 4 10.5h8.5',
  scan: 'M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3M4.5 8h7',
  lines: 'M3 4.5h10M3 8h10M3 11.5h6',
  bolt: 'M9 2 4 9h3.5L7 14l5-7H8.5L9 2Z',
  mark: 'M4.5 2.5h7v11L8 11l-3.5 2.5v-11Z',
  scale: 'M8 2.5v11M4.5 13.5h7M3 5h10M3 5l-1.5 4h3L3 5ZM13 5l-1.5 4h3L13 5Z',
  chart: 'M2.5 13.5h11M4.5 11V8M8 11V4M11.5 11V6',
  gear: 'M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5ZM8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6 5 5M11 11l1.4 1.4M12.4 3.6 11 5M5 11l-1.4 1.4',
  search: 'M7 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM10 10l3.5 3.5',
  close: 'M4 4l8 8M12 4l-8 8',
  down: 'M4 6l4 4 4-4',
  up: 'M4 10l4-4 4 4',
  left: 'M10 4 6 8l4 4',
  right: 'M6 4l4 4-4 4',
  check: 'M3.5 8.5 6.5 11.5 12.5 5',
  plus: 'M8 3.5v9M3.5 8h9',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5Z',
  sun: 'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6ZM8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  out: 'M6.5 3.5h-3v9h9v-3M9 3h4v4M13 3 7.5 8.5',
  dots: 'M3.5 8h.2M8 8h.2M12.5 8h.2',
  person: 'M8 2.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5ZM3 13.5c0-2.5 2-4 5-4s5 1.5 5 4',
  down_to: 'M8 2.5v8M4.5 7 8 10.5 11.5 7M3 13.5h10',
  up_from: 'M8 10.5v-8M4.5 6 8 2.5 11.5 6M3 13.5h10',
} as const

export type IconName = keyof typeof paths

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={paths[name]} />
    </svg>
  )
}
