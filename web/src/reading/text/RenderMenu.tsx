import { useSetting } from "../../state/settings";
import { MenuLine, MenuSwitch, MenuTitle } from "../../ui/menus/Menu";
import { Popover } from "../../ui/menus/Popover";
import { countOn, longTextSetting, markersSetting, renderSetting, SWITCHES } from "./renderSettings";

/** Formatting on and off, each by itself. */
export function RenderMenu() {
  const [render, setRender] = useSetting(renderSetting);
  const [markers, setMarkers] = useSetting(markersSetting);
  const [longText, setLongText] = useSetting(longTextSetting);
  return (
    <Popover label="Render" align="end" button={{ opens: true, children: `Render ${countOn(render)}` }}>
      {() => (
        <>
          <MenuTitle>Format</MenuTitle>
          {SWITCHES.map(({ key, label, hint }) => (
            <MenuSwitch
              key={key}
              checked={render[key]}
              hint={hint}
              onChange={(on) => setRender({ ...render, [key]: on })}
            >
              {label}
            </MenuSwitch>
          ))}
          <MenuLine />
          <MenuTitle>Show</MenuTitle>
          <MenuSwitch checked={markers} onChange={setMarkers} hint={"<|im_start|>"}>
            Template markers
          </MenuSwitch>
          <MenuLine />
          <MenuTitle>Long text</MenuTitle>
          <MenuSwitch
            checked={longText.scrollInPlace}
            onChange={(on) => setLongText({ ...longText, scrollInPlace: on })}
          >
            Scrolls in place
          </MenuSwitch>
          <MenuSwitch checked={longText.openAtEnd} onChange={(on) => setLongText({ ...longText, openAtEnd: on })}>
            Opens at its end
          </MenuSwitch>
        </>
      )}
    </Popover>
  );
}
