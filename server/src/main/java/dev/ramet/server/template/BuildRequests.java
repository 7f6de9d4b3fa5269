// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.template;

import dev.ramet.engine.templates.BuildStep;
import dev.ramet.engine.templates.Templates;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.http.FieldValidation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Converts template builds of the E2B protocol to requests to the engine. */
final class BuildRequests {
  private static final int MAX_STEPS = 1000;
  private static final Set<String> BASE_IMAGES = Set.of("e2bdev/base", "e2bdev/base:latest");
  private static final String BASE = "base";
  private static final Pattern MODE = Pattern.compile("[0-7]{1,5}");

  private final Templates templates;
  private final UploadStore uploads;
  private final String caller;

  /**
   * Creates a converter for one request.
   *
   * @param caller the caller, whose uploads it may copy from
   */
  BuildRequests(Templates templates, UploadStore uploads, String caller) {
    this.templates = templates;
    this.uploads = uploads;
    this.caller = caller;
  }

  /** The request to announce a build. */
  record Announced(
      @Nullable String name,
      @Nullable List<String> tags,
      @Nullable Integer cpuCount,
      @Nullable Integer memoryMB,
      @Nullable Integer minFreeDiskMb) {}

  /**
   * The content of a template. The registry of an image is ignored, because it is of no use here.
   *
   * @param force whether to build even if nothing changed, which always happens
   */
  record Content(
      @Nullable String fromTemplate,
      @Nullable String fromImage,
      @Nullable List<Step> steps,
      @Nullable String startCmd,
      @Nullable String readyCmd,
      @Nullable Boolean force) {}

  /**
   * A build step.
   *
   * @param type {@code RUN}, {@code COPY}, {@code ENV}, {@code WORKDIR} or {@code USER}
   * @param args the arguments of this type
   * @param filesHash hash of the uploaded files, for {@code COPY}
   * @param force see {@link Content}
   */
  record Step(
      @Nullable String type,
      @Nullable List<String> args,
      @Nullable String filesHash,
      @Nullable Boolean force) {}

  /** Returns the template or snapshot that a build starts from. */
  String source(Content content) {
    String template = content.fromTemplate();
    String image = content.fromImage();
    if (template != null && image != null) {
      throw RametException.invalid("fromImage", "cannot be given together with fromTemplate");
    }
    if (template != null) {
      String reference = FieldValidation.reference("template", template);
      return reference;
    }
    if (image == null) {
      throw RametException.invalid("fromTemplate", "is required");
    }
    return BASE_IMAGES.contains(image) ? BASE : ofImage(image);
  }

  /**
   * Finds the template that was created from an image: it has the image's name, in the characters
   * that templates may use, or its name and tag.
   */
  private String ofImage(String image) {
    String name = image.replace('/', '-').replace(':', '-').replace('@', '-');
    for (String known : List.of(name, image)) {
      if (FieldValidation.isReference(known) && exists(known)) {
        return known;
      }
    }
    throw new RametException(
        ErrorCode.INVALID_ARGUMENT,
        "fromImage: this host fetches no images from registries, and has no template "
            + (FieldValidation.isName(name) ? name : "of this image")
            + "; build it from the image's archive: ramet template build --oci FILE --name "
            + (FieldValidation.isName(name) ? name : "NAME"),
        "ramet template build --oci FILE --name NAME",
        null);
  }

  private boolean exists(String name) {
    try {
      return templates.get(name).name() != null;
    } catch (RametException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
      return false;
    }
  }

  /**
   * Converts the steps.
   *
   * @param pins receives the uploads they need, which the caller must close
   */
  List<BuildStep> steps(@Nullable List<Step> given, List<UploadStore.Pin> pins) {
    List<BuildStep> steps = new ArrayList<>();
    if (given == null) {
      return steps;
    }
    if (given.size() > MAX_STEPS) {
      throw RametException.invalid("steps", "must be at most " + MAX_STEPS);
    }
    for (int i = 0; i < given.size(); i++) {
      String field = "steps[" + i + "]";
      Step step = given.get(i);
      if (step == null) {
        throw RametException.invalid(field, "must be an object");
      }
      steps.add(step(field, step, pins));
    }
    return steps;
  }

  private BuildStep step(String field, Step step, List<UploadStore.Pin> pins) {
    List<String> args = arguments(field, step.args());
    return switch (FieldValidation.required(field + ".type", step.type())) {
      case "RUN" -> {
        count(field, args, 1, 2, "a command, and optionally the user who runs it");
        yield new BuildStep.Run(requireArgument(field, args, 0), user(field, args, 1));
      }
      case "COPY" -> copy(field, step, args, pins);
      case "ENV" -> new BuildStep.Environment(environment(field, args));
      case "WORKDIR" -> {
        count(field, args, 1, 1, "a directory");
        yield new BuildStep.Workdir(requireArgument(field, args, 0));
      }
      case "USER" -> {
        count(field, args, 1, 1, "a user");
        String user = user(field, args, 0);
        yield new BuildStep.User(FieldValidation.required(field + ".args[0]", user));
      }
      default ->
          throw RametException.invalid(
              field + ".type", "must be RUN, COPY, ENV, WORKDIR or USER, not " + step.type());
    };
  }

  private BuildStep copy(String field, Step step, List<String> args, List<UploadStore.Pin> pins) {
    count(field, args, 2, 4, "a source and a destination, and optionally a user and a mode");
    String hash = FieldValidation.required(field + ".filesHash", step.filesHash());
    String mode = args.size() < 4 || args.get(3).isEmpty() ? null : args.get(3);
    if (mode != null && !MODE.matcher(mode).matches()) {
      throw RametException.invalid(field + ".args[3]", "must be an octal mode, not " + mode);
    }
    String owner = user(field, args, 2);
    UploadStore.Pin pin =
        uploads.pin(field + ".filesHash", caller, UploadStore.hash(field + ".filesHash", hash));
    pins.add(pin);
    return new BuildStep.Copy(
        pin.file(), requireArgument(field, args, 0), requireArgument(field, args, 1), owner, mode);
  }

  private static Map<String, String> environment(String field, List<String> args) {
    if (args.isEmpty() || args.size() % 2 != 0) {
      throw RametException.invalid(field + ".args", "must be alternating names and values");
    }
    Map<String, String> variables = new LinkedHashMap<>();
    for (int i = 0; i < args.size(); i += 2) {
      variables.put(args.get(i), args.get(i + 1));
    }
    FieldValidation.environment(field + ".args", variables);
    return variables;
  }

  private static List<String> arguments(String field, @Nullable List<String> args) {
    if (args == null) {
      throw RametException.invalid(field + ".args", "is required");
    }
    for (int i = 0; i < args.size(); i++) {
      String arg = args.get(i);
      if (arg == null) {
        throw RametException.invalid(field + ".args[" + i + "]", "must be a string");
      }
      requireNonZero(field + ".args[" + i + "]", arg);
    }
    return args;
  }

  /** Checks a text that is passed to a program, which cannot receive a zero byte. */
  static @Nullable String requireNonZero(String field, @Nullable String text) {
    if (text != null && text.indexOf(0) >= 0) {
      throw RametException.invalid(field, "must not contain NUL");
    }
    return text;
  }

  private static void count(String field, List<String> args, int least, int most, String what) {
    if (args.size() < least || args.size() > most) {
      throw RametException.invalid(field + ".args", "must be " + what);
    }
  }

  private static String requireArgument(String field, List<String> args, int index) {
    return FieldValidation.required(field + ".args[" + index + "]", args.get(index));
  }

  /** Checks a user's name, or returns null for none; it becomes part of a header. */
  private static @Nullable String user(String field, List<String> args, int index) {
    if (args.size() <= index || args.get(index).isEmpty()) {
      return null;
    }
    String user = args.get(index);
    if (user.length() > 128 || !user.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      throw RametException.invalid(
          field + ".args[" + index + "]", "must be a user's name of at most 128 characters");
    }
    return user;
  }
}
